// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.bulk.LoadsExperiment;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.measure.ProgressLine;
import io.millrace.lab.measure.Session;
import io.millrace.lab.queue.QueueExperiment;
import io.millrace.lab.server.RedisServer;
import java.io.OutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** What the lab says about the duration of a run before the run. A program that is not installed takes no time. */
class ExpectedDurationTest {

    @Test
    void quickRunOfEverythingIsExpectedWithinThreeMinutes() {
        assertThat(expected(Parameters.QUICK)).isBetween(Duration.ofSeconds(60), Duration.ofSeconds(180));
    }

    @Test
    void recordOfEverythingIsExpectedInLessThanThreeHours() {
        assertThat(expected(Parameters.DEFAULT)).isBetween(Duration.ofMinutes(150), Duration.ofMinutes(175));
    }

    @Test
    void recordOfTheLoadsIsExpectedWithinTwentyMinutes() {
        assertThat(expected(Parameters.DEFAULT, List.of(LoadsExperiment.of(Parameters.DEFAULT))))
                .isLessThanOrEqualTo(Duration.ofMinutes(20));
    }

    @Test
    void recordOfTheQueuesIsExpectedWithinSixteenMinutes() {
        assertThat(expected(Parameters.DEFAULT, List.of(QueueExperiment.of(Parameters.DEFAULT))))
                .isLessThanOrEqualTo(Duration.ofMinutes(16));
    }

    private static Duration expected(Parameters parameters) {
        return expected(parameters, Experiments.all(parameters));
    }

    private static Duration expected(Parameters parameters, List<Experiment> experiments) {
        var silent = new ProgressLine(new PrintStream(OutputStream.nullOutputStream()), OptionalInt.empty());
        try (var session = Session.open(RedisServer.start(), Session.Options.of(parameters, Worker.class), silent)) {
            return session.expected(experiments);
        }
    }
}
