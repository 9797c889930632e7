// SPDX-License-Identifier: Apache-2.0
package io.millrace.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.testkit.Polling;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that end servers of a cluster, or whose cluster does not start. */
@Timeout(value = 200, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClusterServersTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    @Test
    void replicasTakeOverFromAKilledAndFromAPausedPrimary() {
        try (EmbeddedCluster cluster = EmbeddedCluster.start()) {
            EmbeddedRedis killed = cluster.primaryOf(0);
            EmbeddedRedis paused = cluster.primaryOf(16_383);
            EmbeddedRedis replicaOfKilled = cluster.replicasOf(killed).getFirst();
            EmbeddedRedis replicaOfPaused = cluster.replicasOf(paused).getFirst();

            killed.kill();

            assertThat(cluster.primaryOf(0)).isEqualTo(replicaOfKilled);
            assertThat(cluster.replicasOf(replicaOfKilled)).isEmpty();
            assertThat(cluster.nodes()).hasSize(6).contains(killed);
            // The slot of the key "06S" is 0.
            assertThat(Polling.until(
                            () -> reply(replicaOfKilled, "SET 06S value").equals("+OK"), TIMEOUT))
                    .isTrue();

            paused.pause();

            assertThat(cluster.primaryOf(16_383)).isEqualTo(replicaOfPaused);
            paused.resume();
            assertThat(Polling.until(() -> cluster.replicasOf(replicaOfPaused).contains(paused), TIMEOUT))
                    .isTrue();
            assertThat(cluster.primaryOf(16_383)).isEqualTo(replicaOfPaused);
        }
    }

    @Test
    void passwordProtectsAllServersAndNothingIsLeftAfterClose() {
        Set<Thread> threads = threads();
        EmbeddedOptions options = EmbeddedOptions.defaults().withPassword("d4ta \"quoted\"");
        List<EmbeddedRedis> servers;
        try (EmbeddedCluster cluster = EmbeddedCluster.start(options, 2, 1)) {
            servers = cluster.nodes();
            ClusterNode source = ClusterNode.of(cluster.primaryOf(0));
            ClusterNode target = ClusterNode.of(cluster.primaryOf(16_383));
            assertThat(source.call("SET", "06S", "value")).isEqualTo("OK");

            cluster.moveSlot(0, target.server());

            assertThat(target.call("GET", "06S")).isEqualTo("value");
            assertThat(servers)
                    .hasSize(4)
                    .allSatisfy(server -> assertThat(reply(server, "PING")).startsWith("-NOAUTH"));
            assertThat(cluster.toString()).doesNotContain("d4ta");
        }

        assertThat(servers).noneMatch(EmbeddedRedis::isAlive);
        assertThat(servers).allSatisfy(server -> {
            assertThat(ProcessHandle.of(server.pid())).isEmpty();
            assertThat(server.directory()).doesNotExist();
        });
        assertThat(threads()).isSubsetOf(threads);
    }

    @Test
    void clusterThatIsNotReadyInTimeLeavesNothingAndTheMessageNamesTheMissingState(@TempDir Path directory)
            throws IOException {
        Set<Thread> threads = threads();
        EmbeddedOptions options = EmbeddedOptions.defaults().withBinary(recordingBinary(directory, ""));

        assertThatThrownBy(() -> EmbeddedCluster.start(options, 2, 1, Duration.ofMillis(1)))
                .isInstanceOf(EmbeddedRedisException.class)
                .hasMessageMatching("the cluster did not reach a state after \\d+\\.\\d s: state=.+, "
                        + "missing=the server at port \\d+ .+, interrupted=false\\. Check .+");

        assertThat(startedServers(directory)).hasSize(4).allSatisfy(ClusterServersTest::assertNothingLeft);
        assertThat(threads()).isSubsetOf(threads);
    }

    @Test
    void serverThatDoesNotStartEndsTheOtherServers(@TempDir Path directory) throws IOException {
        Set<Thread> threads = threads();
        String oneFails = "if mkdir '%s' 2>/dev/null; then echo 'no start today'; exit 1; fi; "
                .formatted(directory.resolve("failed"));
        EmbeddedOptions options = EmbeddedOptions.defaults().withBinary(recordingBinary(directory, oneFails));

        assertThatThrownBy(() -> EmbeddedCluster.start(options, 3, 0))
                .isInstanceOf(EmbeddedRedisException.class)
                .hasMessageStartingWith("a server of the cluster did not start: redis-server did not start after")
                .hasMessageContaining("no start today");

        assertThat(startedServers(directory)).hasSize(2).allSatisfy(ClusterServersTest::assertNothingLeft);
        assertThat(threads()).isSubsetOf(threads);
    }

    @Test
    void illegalNumbersOfServersAreRejected() {
        EmbeddedOptions options = EmbeddedOptions.defaults();

        assertThatThrownBy(() -> EmbeddedCluster.start(options, 0, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("primaries must be 1..16384: primaries=0");
        assertThatThrownBy(() -> EmbeddedCluster.start(options, 3, -1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("replicasPerPrimary must be 0 or more: replicasPerPrimary=-1");
    }

    /** Returns a binary that runs {@code first}, then writes its process id and its configuration file to a file. */
    private static ServerBinary recordingBinary(Path directory, String first) throws IOException {
        Path real = ServerBinary.any().resolve(directory).orElseThrow();
        return ServerBinary.at(EmbeddedRedisTest.script(
                directory, first + "echo \"$$ $1\" >> '%s'; exec '%s' \"$@\"".formatted(startsFile(directory), real)));
    }

    private static Path startsFile(Path directory) {
        return directory.resolve("starts");
    }

    private static List<String> startedServers(Path directory) throws IOException {
        return Files.readAllLines(startsFile(directory));
    }

    private static void assertNothingLeft(String start) {
        String[] parts = start.split(" ", 2);
        assertThat(ProcessHandle.of(Long.parseLong(parts[0]))).isEmpty();
        assertThat(Path.of(parts[1])).doesNotExist();
        assertThat(Path.of(parts[1]).getParent()).doesNotExist();
    }

    private static Set<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("embedded-redis"))
                .collect(Collectors.toSet());
    }

    static String reply(EmbeddedRedis server, String command) {
        try (InlineClient inlineClient = InlineClient.connect(server)) {
            return inlineClient.call(command);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
