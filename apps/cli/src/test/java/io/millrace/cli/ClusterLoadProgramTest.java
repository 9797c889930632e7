// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Command;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Server;
import io.millrace.embedded.EmbeddedCluster;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.Polling;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Loads into a cluster with the command line. */
class ClusterLoadProgramTest {

    private static final String PASSWORD = "opensesame42";
    private static final int ROWS = 1_000;
    private static final Duration LIMIT = Duration.ofMinutes(1);

    @TempDir
    static Path folder;

    private static EmbeddedCluster cluster;
    private static String shop;

    @BeforeAll
    static void start() throws IOException {
        cluster = EmbeddedCluster.start(EmbeddedOptions.defaults().withPassword(PASSWORD), 3, 0);
        String rows = IntStream.range(0, ROWS).mapToObj(i -> i + ",name-" + i).collect(Collectors.joining("\n"));
        shop = Files.writeString(folder.resolve("shop.csv"), "id,name\n" + rows + "\n")
                .toString();
    }

    @AfterAll
    static void end() {
        cluster.close();
    }

    private static CliRun load(String... connection) {
        return CliRun.of(
                Map.of("REDISCLI_AUTH", PASSWORD),
                "",
                CliRun.args(
                        List.of(
                                "load",
                                shop,
                                "--key",
                                "item:{id}",
                                "--as",
                                "hash",
                                "--progress",
                                "none",
                                "--verify",
                                "full"),
                        connection));
    }

    private static String port() {
        return Integer.toString(cluster.nodes().getFirst().port());
    }

    private static void assertLoaded(CliRun run) {
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.out()).contains("written: " + ROWS);
    }

    @Test
    void rowsAreWrittenToAllNodesOfTheCluster() {
        assertLoaded(load("-c", "-p", port()));
        assertLoaded(load("-u", cluster.uri()));

        try (RedisClient client = connect()) {
            assertThat(client.call(Server.size())).isEqualTo(ROWS);
        }
    }

    @Test
    void nodeWithoutTheOptionIsRefusedWithTheAddressOfTheCluster() {
        CliRun run = load("-p", port());

        assertThat(run.code()).isNotZero();
        assertThat(run.err())
                .contains("is a node of a cluster", "redis-cluster://")
                .doesNotContain(PASSWORD);
    }

    @Test
    void announcedAddressesAreMapped() {
        try (RedisClient client = connect()) {
            client.call(Command.of("CONFIG SET", "cluster-announce-hostname", "nodes.invalid"));
            assertThat(Polling.until(
                            () -> cluster.nodes().stream().allMatch(ClusterLoadProgramTest::knowsAllNames), LIMIT))
                    .isTrue();
            client.call(Command.of("CONFIG SET", "cluster-preferred-endpoint-type", "hostname"));
            try {
                CliRun unmapped = load("-c", "-p", port(), "--timeout", "1s");
                CliRun mapped =
                        load("-c", "-p", port(), "--map", "other:1=other:2", "--map", "nodes.invalid=127.0.0.1");

                assertThat(unmapped.code()).isEqualTo(5);
                assertThat(unmapped.err()).contains("nodes.invalid");
                assertLoaded(mapped);
            } finally {
                client.call(Command.of("CONFIG SET", "cluster-preferred-endpoint-type", "ip"));
            }
        }
    }

    /** Whether {@code node} knows the host names that all nodes announce. */
    private static boolean knowsAllNames(EmbeddedRedis node) {
        try (RedisClient client =
                RedisClient.connect(RedisUri.of(node.host(), node.port()).withPassword(PASSWORD))) {
            String nodes = client.call(Command.of("CLUSTER NODES").as(Replies::text));
            return nodes.split(",nodes.invalid", -1).length - 1
                    == cluster.nodes().size();
        }
    }

    private static RedisClient connect() {
        return RedisClient.connect(RedisUri.parse(cluster.uri()).withLogin("", PASSWORD));
    }

    @Test
    void optionsThatContradictAClusterAreRefused() {
        assertThat(load("-c", "-s", "/tmp/redis.sock").err()).contains("-c has no meaning for a Unix socket");
        assertThat(load("-c", "-p", port(), "-n", "3").err()).contains("a cluster has only database 0");
        assertThat(load("-c", "-u", "redis-sentinel://127.0.0.1:1/0#shop").err())
                .contains("Sentinels do not watch clusters");
    }
}
