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
import java.time.Duration;
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

    /** All contenders, in short rounds. */
    private static final Parameters ALL = new Parameters(
            OneRound.SMALL.size(),
            OneRound.SMALL.duration(),
            OneRound.SMALL.payloadBytes(),
            OneRound.SMALL.keys(),
            OneRound.SMALL.mix(),
            OneRound.SMALL.rate(),
            OneRound.SMALL.seed(),
            false);

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
        assertThat(labels(Calls.of(Parameters.DEFAULT).scenario("512-callers")))
                .contains("jedis/virtual", "jedis/platform", "redisson/virtual", "glide/platform", "vertx/virtual")
                .contains("spring/platform", "lettuce/virtual", "millrace/virtual-unfused", "millrace/platform")
                .doesNotContain("jedis/virtual-own-connection", "lettuce/virtual-pool");
    }

    private static List<String> labels(Scenario scenario) {
        return scenario.contenders().stream().map(Contender::label).toList();
    }

    private static List<String> compared(Scenario scenario, String library) {
        return scenario.contenders().stream()
                .map(Contender::description)
                .filter(contender -> contender.library().equals(library)
                        && contender.unfair().isEmpty())
                .map(Contender.Description::label)
                .toList();
    }

    @Test
    void fusedCommandsAreComparedOnlyWithBatchesMadeByHand() {
        Experiment pipelines = Pipelines.of(Parameters.DEFAULT);

        for (String name : List.of("strings-pipeline", "reads-pipeline", "drain-pipeline", "pipeline-1000-sets")) {
            assertThat(compared(pipelines.scenario(name), "millrace")).containsExactly("millrace/unfused");
            assertThat(labels(pipelines.scenario(name + "-fused")))
                    .containsExactly("jedis/by-hand", "lettuce/by-hand", "millrace/fused-writes");
        }
        assertThat(compared(pipelines.scenario("hash-pipeline"), "millrace")).containsExactly("millrace");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("madeByHand")
    void batchesMadeByHandLeaveTheRightData(String name, Scenario scenario, JvmContender contender) throws Exception {
        Sample sample = OneRound.run(contender.work(), scenario.server(), server, folder, 2);

        assertThat(sample.complaints()).isEmpty();
        double fused = sample.details().figures().getOrDefault("fusedCommands", 0.0);
        boolean isByHand = contender.description().mode().equals("by-hand");
        assertThat(fused).isBetween(isByHand ? 0.99 * sample.operations() : 1, (double) sample.operations());
    }

    static Stream<Arguments> madeByHand() {
        return Pipelines.of(ALL).scenarios().stream()
                .filter(scenario -> scenario.name().endsWith("-fused"))
                .flatMap(scenario -> scenario.contenders().stream()
                        .map(contender ->
                                Arguments.of(scenario.name() + " " + contender.label(), scenario, contender)));
    }

    /** A flood is not compared; the same flood with a semaphore of the caller is. Each library with all ways to flush. */
    @Test
    void everyFloodHasAComparedTwinWithASemaphore() {
        Experiment e2 = AsynchronousThroughput.of(Parameters.DEFAULT);

        for (String name : List.of("fire-and-forget", "several-clients", "fire-and-forget-160ms")) {
            assertThat(e2.scenario(name).measure()).isEmpty();
            assertThat(e2.scenario(name + "-limited").measure()).isPresent();
            assertThat(labels(e2.scenario(name + "-limited")))
                    .containsExactly("lettuce", "lettuce/send-flush-100", "redisson", "glide", "vertx", "millrace");
        }
    }

    @Test
    void floodsOverALongDistanceHaveTheTimeThatTheDistanceNeeds() {
        Experiment e2 = AsynchronousThroughput.of(Parameters.DEFAULT);

        for (String name : List.of("fire-and-forget-160ms", "fire-and-forget-160ms-limited")) {
            assertThat(e2.scenario(name).contenders())
                    .as(name)
                    .isNotEmpty()
                    .allSatisfy(contender -> assertThat(((JvmContender) contender).work())
                            .isInstanceOfSatisfying(
                                    TrafficWork.class,
                                    work -> assertThat(work.time()).isEqualTo(Duration.ofSeconds(3))));
        }
    }

    @Test
    void percentilesAreShownIfTheCommandsOfARoundSuffice() {
        Experiment latency = Latency.of(Parameters.DEFAULT);

        assertThat(latency.scenario("load-80").figures()).containsKeys("p50 us", "p99 us", "p99.9 us", "p99.99 us");
        assertThat(latency.scenario("rate-20000").figures())
                .containsKeys("p50 us", "p90 us", "p99 us", "p99.9 us")
                .doesNotContainKey("p99.99 us");
        assertThat(latency.scenario("rate-1000-102400-bytes").figures())
                .containsKeys("p99 us")
                .doesNotContainKeys("p99.9 us", "p99.99 us");
    }

    /** The same rate, so the difference is the cost of TLS. */
    @Test
    void latencyOverTlsIsMeasuredAtTheRateOfAPlainScenario() {
        Experiment latency = Latency.of(Parameters.DEFAULT);
        Scenario encrypted = latency.scenarios().stream()
                .filter(scenario -> scenario.name().endsWith("-tls"))
                .findFirst()
                .orElseThrow();

        Scenario plain = latency.scenario(encrypted.name().replaceFirst("-tls$", ""));

        assertThat(labels(plain)).containsAll(labels(encrypted));
    }

    static Stream<Arguments> floods() {
        return AsynchronousThroughput.of(ALL).scenarios().stream()
                .filter(scenario -> List.of("fire-and-forget", "several-clients-limited", "blocking-callbacks")
                        .contains(scenario.name()))
                .flatMap(scenario -> scenario.contenders().stream()
                        .map(contender ->
                                Arguments.of(scenario.name() + " " + contender.label(), scenario, contender)));
    }

    /** The check of the server has a complaint if the sum of the outcomes is not the number of issued commands. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("floods")
    void eachCommandOfAFloodHasOneOutcome(String name, Scenario scenario, JvmContender contender) throws Exception {
        Sample sample = OneRound.run(contender.work(), scenario.server(), server, folder, 1);

        assertThat(sample.complaints()).isEmpty();
        assertThat(sample.details().outcomes().orElseThrow().total())
                .isEqualTo(Math.round(sample.details().figures().getOrDefault("issued", 0.0)));
    }
}
