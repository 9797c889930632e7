// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.bulk.LoadsExperiment;
import io.millrace.lab.cluster.ClusterExperiment;
import io.millrace.lab.connections.MetricsExperiment;
import io.millrace.lab.experiment.Contender;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.ProcessContender;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.frameworks.HttpExperiment;
import io.millrace.lab.frameworks.SpringExperiment;
import io.millrace.lab.frameworks.VertxExperiment;
import io.millrace.lab.measure.ProgressLine;
import io.millrace.lab.measure.Session;
import io.millrace.lab.queue.QueueExperiment;
import io.millrace.lab.server.RedisServer;
import java.io.OutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** What the lab says about the duration of a run before the run. A program that is not installed takes no time. */
class ExpectedDurationTest {

    @Test
    void quickRunOfEverythingIsExpectedInAboutThreeMinutes() {
        assertThat(expected(Parameters.QUICK)).isBetween(Duration.ofSeconds(60), Duration.ofSeconds(185));
    }

    @Test
    void recordOfEverythingIsExpectedInLessThanFourHours() {
        assertThat(expected(Parameters.DEFAULT)).isBetween(Duration.ofMinutes(190), Duration.ofHours(4));
    }

    @Test
    void recordOfTheLoadsIsExpectedWithinTwentyMinutes() {
        assertThat(expected(Parameters.DEFAULT, List.of(LoadsExperiment.of(Parameters.DEFAULT))))
                .isLessThanOrEqualTo(Duration.ofMinutes(20));
    }

    @Test
    void recordOfTheQueuesIsExpectedWithinTwentyMinutes() {
        assertThat(expected(Parameters.DEFAULT, List.of(QueueExperiment.of(Parameters.DEFAULT))))
                .isLessThanOrEqualTo(Duration.ofMinutes(20));
    }

    @Test
    void recordOfTheClusterIsExpectedWithinTenMinutes() {
        assertThat(expected(Parameters.DEFAULT, List.of(ClusterExperiment.of(Parameters.DEFAULT))))
                .isBetween(Duration.ofMinutes(4), Duration.ofMinutes(10));
    }

    @Test
    void recordOfTheServerIsExpectedWithinTenMinutes() {
        assertThat(expected(Parameters.DEFAULT, List.of(HttpExperiment.of(Parameters.DEFAULT))))
                .isBetween(Duration.ofMinutes(4), Duration.ofMinutes(10));
    }

    @Test
    void recordOfTheIntegrationsIsExpectedWithinThirtyMinutes() {
        assertThat(expected(Parameters.DEFAULT, integrations(Parameters.DEFAULT)))
                .isBetween(Duration.ofMinutes(1), Duration.ofMinutes(30));
    }

    @Test
    void quickRunOfTheIntegrationsIsExpectedWithinTwentyFiveSeconds() {
        assertThat(expected(Parameters.QUICK, integrations(Parameters.QUICK)))
                .isBetween(Duration.ofSeconds(2), Duration.ofSeconds(25));
    }

    private static List<Experiment> integrations(Parameters parameters) {
        return List.of(
                VertxExperiment.of(parameters), SpringExperiment.of(parameters), MetricsExperiment.of(parameters));
    }

    /** The contenders with a class path of their own are measured after the build of their module, which may be later. */
    private static Experiment built(Experiment experiment) {
        return new Experiment(
                experiment.name(),
                experiment.title(),
                experiment.question(),
                experiment.scenarios().stream().map(ExpectedDurationTest::built).toList());
    }

    private static Scenario built(Scenario scenario) {
        return Scenario.named(scenario.name(), scenario.title())
                .contenders(scenario.contenders().stream()
                        .map(ExpectedDurationTest::built)
                        .toList())
                .plan(scenario.plan())
                .server(scenario.server())
                .roundTrip(scenario.roundTrip())
                .build();
    }

    private static Contender built(Contender contender) {
        return switch (contender) {
            case JvmContender jvm
            when jvm.classPath().isPresent() ->
                new JvmContender(jvm.description(), jvm.work(), jvm.jvmOptions(), target -> Optional.empty());
            case JvmContender jvm -> jvm;
            case ProcessContender process
            when process.label().endsWith("/starter") ->
                new ProcessContender(process.description(), process.program(), target -> Optional.empty());
            case ProcessContender process -> process;
        };
    }

    private static Duration expected(Parameters parameters) {
        return expected(parameters, Experiments.all(parameters));
    }

    private static Duration expected(Parameters parameters, List<Experiment> experiments) {
        var silent = new ProgressLine(new PrintStream(OutputStream.nullOutputStream()), OptionalInt.empty());
        try (var session = Session.open(RedisServer.start(), Session.Options.of(parameters, Worker.class), silent)) {
            return session.expected(
                    experiments.stream().map(ExpectedDurationTest::built).toList());
        }
    }
}
