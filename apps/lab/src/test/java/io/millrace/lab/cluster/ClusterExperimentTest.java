// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.lab.TestServer;
import io.millrace.lab.bulk.RoundOnServer;
import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.Contender;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.experiment.ServerUse.Ongoing;
import io.millrace.lab.experiment.ServerUse.Place;
import io.millrace.lab.experiment.SlotMoves;
import io.millrace.lab.server.RedisServer;
import io.millrace.lab.server.SlotOwners;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.exceptions.JedisMovedDataException;

/** Every contender does its work on three primaries, and the checks look at all of them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ClusterExperimentTest {

    /** Each of 64 callers sends the same number of commands. */
    private static final int SIZE = 64 * 20;

    /** A quick run has fewer libraries. */
    private static final Parameters SMALL = new Parameters(
            OptionalLong.of(SIZE),
            Optional.empty(),
            OptionalInt.empty(),
            OptionalInt.of(SIZE),
            Optional.empty(),
            OptionalLong.empty(),
            Parameters.QUICK.seed(),
            true);

    private static final Experiment EXPERIMENT = ClusterExperiment.of(SMALL);

    private final RedisServer cluster;
    private final RedisServer single;
    private final Path folder;

    ClusterExperimentTest(@TempDir Path folder) {
        this.cluster = RedisServer.startCluster();
        this.single = TestServer.start();
        this.folder = folder;
    }

    @AfterAll
    void close() {
        try (single) {
            cluster.close();
        }
    }

    private RoundOnServer round(Scenario scenario, Contender contender) {
        boolean isOnCluster = scenario.server(contender).place() == Place.CLUSTER;
        return new RoundOnServer(isOnCluster ? cluster : single, SMALL, folder);
    }

    private List<String> run(Scenario scenario, Contender contender) throws Exception {
        RoundOnServer round = round(scenario, contender);
        Sample sample = round.run(scenario, contender, 2);
        assertThat(sample.operations()).isEqualTo((long) sample.units() * SIZE);
        return round.complaints(scenario, contender, sample);
    }

    static Stream<Arguments> contenders() {
        return EXPERIMENT.scenarios().stream()
                .flatMap(scenario -> scenario.contenders().stream()
                        .map(contender ->
                                Arguments.of(scenario.name() + " " + contender.label(), scenario, contender)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("contenders")
    void contenderLeavesTheRightData(String name, Scenario scenario, Contender contender) throws Exception {
        var missing = contender.missing(round(scenario, contender).server().target());
        assumeTrue(missing.isEmpty(), () -> name + ": " + missing.orElseThrow());

        assertThat(run(scenario, contender)).isEmpty();
    }

    @Test
    void missingKeyOfEachPrimaryIsFound() throws Exception {
        Scenario rows = EXPERIMENT.scenario("rows");
        Contender millrace = rows.contender("millrace");
        RoundOnServer round = round(rows, millrace);
        Sample sample = round.run(rows, millrace, 1);
        List<String> keys = List.of("millrace-lab:row:000000000", "millrace-lab:row:000001279");

        keys.forEach(key -> cluster.control(key).del(key));

        assertThat(round.complaints(rows, millrace, sample))
                .hasSize(3)
                .contains("keys: expected=1280, found=1278")
                .anyMatch(complaint -> complaint.startsWith("millrace-lab:row:000000000: expected={id=0, "))
                .anyMatch(complaint -> complaint.startsWith("millrace-lab:row:000001279: expected={id=282, "));
    }

    @Test
    void eachPrimaryGetsKeys() throws Exception {
        Scenario strings = EXPERIMENT.scenario("strings");

        run(strings, strings.contender("millrace"));

        SlotOwners owners = SlotOwners.ask(cluster.target());
        assertThat(owners.primaries()).hasSize(3).allSatisfy(primary -> {
            try (var node = TestServer.connect(primary)) {
                assertThat(node.dbSize()).isEqualTo(keysOf(owners, primary)).isPositive();
            }
        });
    }

    private static long keysOf(SlotOwners owners, Target primary) {
        return IntStream.range(0, SIZE)
                .mapToObj(n -> String.format("millrace-lab:key:%09d", n))
                .filter(key -> owners.of(key).equals(primary))
                .count();
    }

    @Test
    void slotsMoveOnAndReturnAtTheEnd() {
        Target before = SlotOwners.ask(cluster.target()).of("key");

        Ongoing moves = new SlotMoves(1_000, n -> "key").begin(cluster);
        long start = System.nanoTime();
        while (SlotOwners.ask(cluster.target()).of("key").equals(before)) {
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMinutes(1));
        }
        double perSecond = moves.end().getOrDefault(SlotMoves.MOVES_PER_SECOND, 0.0);

        assertThat(perSecond).isPositive();
        assertThat(SlotOwners.ask(cluster.target()).of("key")).isEqualTo(before);
    }

    /** A node counts a redirect as a rejected command. */
    @Test
    void redirectIsAComplaintUnlessSlotsMove() {
        SlotOwners owners = SlotOwners.ask(cluster.target());
        String foreign = IntStream.range(0, 1_000)
                .mapToObj(n -> "key" + n)
                .filter(key -> !owners.of(key).equals(owners.primaries().getFirst()))
                .findFirst()
                .orElseThrow();
        try (var node = TestServer.connect(owners.primaries().getFirst())) {
            cluster.reset();
            assertThatThrownBy(() -> node.get(foreign)).isInstanceOf(JedisMovedDataException.class);
            List<String> complaints = cluster.statistics("get").complaints("get", 0);
            cluster.expectRedirects();

            assertThat(complaints).containsExactly("calls of get: expected=0, executed=0, failed=0, rejected=1");
            assertThat(cluster.statistics("get").complaints("get", 0)).isEmpty();
        }
    }
}
