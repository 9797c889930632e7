// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.experiment.Contender;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.server.RedisServer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs every scenario of a quick run with Millrace. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ConnectionsExperimentsTest {

    @TempDir
    private static Path folder;

    private static RedisServer server;

    @BeforeAll
    static void startServer() {
        server = OneRound.startServer();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    private static List<Experiment> experiments(Parameters parameters) {
        return List.of(
                ConnectionPatterns.of(parameters),
                Calls.of(parameters),
                AsynchronousThroughput.of(parameters),
                Pipelines.of(parameters),
                Latency.of(parameters));
    }

    static Stream<Arguments> contenders() {
        return experiments(OneRound.SMALL).stream()
                .flatMap(experiment -> experiment.scenarios().stream()
                        .flatMap(scenario -> scenario.contenders().stream()
                                .filter(contender ->
                                        contender.description().library().equals("millrace"))
                                .map(contender -> Arguments.of(
                                        experiment.name() + " " + scenario.name() + " " + contender.label(),
                                        scenario,
                                        contender))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("contenders")
    void contenderDoesItsWork(String name, Scenario scenario, JvmContender contender) throws Exception {
        int units = scenario.plan().minimum().isZero() ? 1 : 2;

        Sample sample = OneRound.run(contender.work(), scenario.server(), server, folder, units);

        assertThat(sample.complaints()).isEmpty();
        assertThat(sample.operations()).isPositive();
        if (contender.work() instanceof OpenLoopWork) {
            assertThat(scenario.figures()).containsKeys("p50 us", "max us");
            assertThat(sample.details().figures()).containsKeys("p50Micros", "maxMicros");
        }
    }

    @Test
    void allLibrariesCallWithManyThreadsOfBothKinds() {
        Scenario scenario = Calls.of(Parameters.DEFAULT).scenario("512-callers");

        List<String> labels =
                scenario.contenders().stream().map(Contender::label).toList();

        assertThat(labels)
                .contains("jedis/virtual", "jedis/platform", "redisson/virtual", "glide/platform", "vertx/virtual")
                .contains("spring/platform", "lettuce/virtual-pool", "millrace/virtual-unfused", "raw-socket/virtual")
                .doesNotContain("jedis/virtual-own-connection");
    }
}
