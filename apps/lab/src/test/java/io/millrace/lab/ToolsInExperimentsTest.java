// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.lab.experiment.ConnectionPatterns;
import io.millrace.lab.experiment.PipelinesAndCalls;
import io.millrace.lab.library.Endpoint;
import io.millrace.lab.run.Contender;
import io.millrace.lab.run.Experiment;
import io.millrace.lab.run.Keyspace;
import io.millrace.lab.run.RedisServer;
import io.millrace.lab.run.Run;
import io.millrace.lab.run.Size;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Whole processes beside the libraries. */
class ToolsInExperimentsTest {

    private static final long OPERATIONS = 1_050; // so that pipelines do not come out even
    private static final int DATABASE = 1;
    private static final Optional<String> PASSWORD = Optional.of("s3cret pass/wort@1");

    private final List<String> missing = new ArrayList<>();

    private List<Run> run(Experiment experiment, Optional<String> password, Predicate<Contender> chosen)
            throws Exception {
        var options = password.map(EmbeddedOptions.defaults()::withPassword).orElse(EmbeddedOptions.defaults());
        try (var redis = EmbeddedRedis.start(options)) {
            var endpoint = new Endpoint(redis.host(), redis.port(), Optional.empty(), password, DATABASE);
            var server = RedisServer.at(endpoint, Keyspace.PREFIX_ALONE, () -> {});
            try (var session = Session.open(server, List.of(Duration.ZERO), 1, line -> {})) {
                var runs = session.run(experiment, new Size(OPERATIONS, OPERATIONS), chosen);
                session.missing().forEach(entry -> missing.add(entry.toString()));
                return runs;
            }
        }
    }

    private static Predicate<Contender> named(String... labels) {
        return contender -> List.of(labels).contains(contender.label());
    }

    @Test
    @NeedsRedisTools
    void theFileOfCommandsHoldsThePairsOfTheOthersAndGoesToTheRightDatabase() throws Exception {
        var runs = run(new ConnectionPatterns(), PASSWORD, named("redis-cli-pipe/process"));

        assertThat(runs).hasSize(1).allSatisfy(run -> {
            assertThat(run.verified()).as(run.toString()).isTrue();
            assertThat(run.samples().getLast().outcomes().ok()).isEqualTo(OPERATIONS);
        });
    }

    @Test
    @NeedsRedisTools
    void theStringsOfTheThirdExperimentAreSetByThePipeToo() throws Exception {
        var runs = run(new PipelinesAndCalls(), PASSWORD, named("redis-cli-pipe/process"));

        assertThat(runs).hasSize(1).allSatisfy(run -> {
            assertThat(run.workload().name()).isEqualTo("e3-strings");
            assertThat(run.verified()).as(run.toString()).isTrue();
        });
    }

    @Test
    void theProgramThatIsStartedForEachRoundSetsTheSamePairs() throws Exception {
        var runs = run(new ConnectionPatterns(), PASSWORD, named("millrace/bulk-writer-process"));

        assertThat(runs)
                .hasSize(1)
                .allSatisfy(run -> assertThat(run.verified()).as(run.toString()).isTrue());
    }

    @Test
    @NeedsRedisTools
    void theBenchmarkIsCountedByWhatItSays() throws Exception {
        var runs = run(
                new ConnectionPatterns(),
                Optional.empty(),
                contender -> contender.name().equals("redis-benchmark"));

        assertThat(runs).hasSize(1).allSatisfy(run -> {
            assertThat(run.verified()).as(run.toString()).isTrue();
            assertThat(run.contender().unfair()).isPresent();
            assertThat(run.medianOperations()).isBetween(OPERATIONS, OPERATIONS + 100);
        });
    }

    @Test
    @NeedsRedisTools
    void theBenchmarkIsNamedAsMissingWhereThereIsAPassword() throws Exception {
        var runs = run(
                new ConnectionPatterns(),
                PASSWORD,
                contender -> contender.name().equals("redis-benchmark"));

        assertThat(runs).isEmpty();
        assertThat(missing)
                .singleElement()
                .satisfies(entry -> assertThat(entry)
                        .contains("e1", "redis-benchmark", "password as an argument")
                        .doesNotContain(PASSWORD.get()));
    }
}
