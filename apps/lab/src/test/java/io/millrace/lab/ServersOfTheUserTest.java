// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.embedded.EmbeddedCluster;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.embedded.EmbeddedSentinels;
import io.millrace.lab.client.Target;
import io.millrace.lab.client.Target.Address;
import io.millrace.lab.client.Target.Sentinels;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.Scenario;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Experiments on a cluster and on Sentinels of the user, in worker processes. */
class ServersOfTheUserTest {

    private record Ended(int exitCode, String errors) {}

    private static Ended run(String uri, String... experiments) {
        List<String> words = Stream.of(
                        Stream.of("run"),
                        Stream.of(experiments),
                        Stream.of("--quick", "--size", "640", "--clients", "jedis,millrace", "--uri", uri))
                .flatMap(part -> part)
                .toList();
        var errors = new ByteArrayOutputStream();
        int exitCode = Lab.run(
                new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8),
                new PrintStream(errors, true, StandardCharsets.UTF_8),
                words.toArray(String[]::new));
        return new Ended(exitCode, errors.toString(StandardCharsets.UTF_8));
    }

    @Test
    void callsAndBulkWritesRunOnACluster() {
        try (var cluster = EmbeddedCluster.start(EmbeddedOptions.defaults(), 3, 0)) {
            Ended ended = run(cluster.uri(), "cluster");

            assertThat(ended.exitCode()).as(ended.errors()).isZero();
            assertThat(ended.errors())
                    .contains(
                            "cluster rows, jedis, round 1",
                            "cluster rows, millrace, round 1",
                            "cluster rows, millrace/one-server: MISSING: the server is a cluster",
                            "cluster 64-callers, millrace/virtual, round 1",
                            "cluster rows-moves, millrace/moving: MISSING: the lab disturbs only a cluster");
            assertThat(cluster.nodes())
                    .allSatisfy(node -> assertThat(keys(node)).isZero());
        }
    }

    @Test
    void callsRunOnThePrimaryOfSentinels() {
        try (var sentinels = EmbeddedSentinels.start()) {
            Ended ended = run(sentinels.uri(), "calls");

            assertThat(ended.exitCode()).as(ended.errors()).isZero();
            assertThat(ended.errors())
                    .contains(
                            "calls 64-callers, millrace/virtual, round 1", "calls 64-callers, jedis/virtual, round 1");
            assertThat(keys(sentinels.firstPrimary())).isZero();
        }
    }

    @Test
    void clientWithoutSentinelsOrClustersTakesNoPart() {
        Scenario calls = Experiments.named("calls", Parameters.DEFAULT).scenario("1-caller");
        Target server = Target.of("127.0.0.1", 6379);
        Target behind = server.behind(new Sentinels(List.of(new Address("127.0.0.1", 26379)), "name"));

        assertThat(calls.contender("redisson/platform").missing(server)).isEmpty();
        assertThat(calls.contender("redisson/platform").missing(server.asCluster()))
                .isEmpty();
        assertThat(calls.contender("redisson/platform").missing(behind).orElseThrow())
                .endsWith("capability=SENTINEL");
        assertThat(calls.contender("vertx/platform").missing(server.asCluster()).orElseThrow())
                .endsWith("capability=CLUSTER");
        assertThat(calls.contender("lettuce/platform").missing(behind)).isEmpty();
    }

    @Test
    void sentinelsThatDoNotKnowThePrimaryAreNamed() {
        try (var sentinels = EmbeddedSentinels.start()) {
            String uri = sentinels.uri().replaceFirst("#.*", "#other");

            Ended ended = run(uri, "calls");

            assertThat(ended.exitCode()).isEqualTo(2);
            assertThat(ended.errors())
                    .startsWith("lab: no Sentinel names the primary: name=other, reasons=[127.0.0.1:")
                    .contains(" does not know the primary, 127.0.0.1:")
                    .hasLineCount(1);
        }
    }

    private static long keys(EmbeddedRedis server) {
        try (var jedis = TestServer.connect(server)) {
            return jedis.dbSize();
        }
    }
}
