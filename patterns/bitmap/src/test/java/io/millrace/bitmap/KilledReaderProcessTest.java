// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Keys;
import io.millrace.client.command.TimeToLive;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.Direction;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.RefusalMode;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Disconnects or kills a reader during a query, and checks the keys that remain on the server. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class KilledReaderProcessTest {

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    private static final long SEED = 20_261_122;
    private static final int CUTS = Integer.getInteger("millrace.bitmapCuts", 2);

    @TempDir
    private Path folder;

    @ParameterizedTest
    @EnumSource
    void completedQueriesLeaveNoTemporaryKey(Encoding encoding) {
        RedisClient client = REDIS.client();
        ReaderProcess.fill(client, encoding);
        Set<String> before = REDIS.keys(client);

        for (ReaderProcess.Query query : ReaderProcess.Query.values()) {
            assertThat(query.run(ReaderProcess.open(client, encoding))).isNotNull();
            assertThat(REDIS.keys(client)).as("%s", query).isEqualTo(before);
        }
    }

    /** The client does not reconnect, as if the process had died. */
    @ParameterizedTest
    @EnumSource(names = {"BITMAP", "CHUNKED"})
    void disconnectedReaderLeavesOnlyKeysThatExpire(Encoding encoding) {
        System.out.println("KilledReaderProcessTest: seed=" + SEED);
        SplittableRandom random = new SplittableRandom(SEED);
        RedisClient client = REDIS.client();
        ReaderProcess.fill(client, encoding);
        Set<String> before = REDIS.keys(client);
        int failed = 0;
        int leftBehind = 0;
        for (ReaderProcess.Query query : ReaderProcess.Query.values()) {
            long replyBytes = replyBytes(encoding, query);
            long connections = REDIS.connections(client);
            for (int i = 0; i < CUTS; i++) {
                long cut = i == 0 ? 1 : random.nextLong(replyBytes);
                failed += cutOff(encoding, query, cut) ? 1 : 0;
                // After this wait, the server has read all bytes that were sent before the cut.
                REDIS.awaitConnections(client, connections);

                Set<String> more = new HashSet<>(REDIS.keys(client));
                more.removeAll(before);
                more.forEach(key -> assertExpires(client, key));
                leftBehind += more.size();
                client.call(Keys.unlink(add(more, "none")));
            }
            assertThat(REDIS.keys(client)).isEqualTo(before);
        }
        assertThat(failed).isGreaterThan(ReaderProcess.Query.values().length * CUTS / 2);
        assertThat(leftBehind > 0)
                .as("some readers were cut off while the server stored a result")
                .isEqualTo(encoding == Encoding.BITMAP);
    }

    private static String[] add(Set<String> keys, String more) {
        Set<String> all = new HashSet<>(keys);
        all.add(more);
        return all.toArray(String[]::new);
    }

    private static long replyBytes(Encoding encoding, ReaderProcess.Query query) {
        FaultProxy proxy = REDIS.proxy();
        Activity active = ReaderProcess.open(REDIS.client(proxy.port()), encoding);
        long before = proxy.forwardedBytes(Direction.TO_CLIENT);
        assertThat(query.run(active)).isNotNull();
        // The client may read bytes a short time before the proxy counts them.
        Eventually.holds(
                "the proxy forwarded bytes to the client", () -> proxy.forwardedBytes(Direction.TO_CLIENT) > before);
        return proxy.forwardedBytes(Direction.TO_CLIENT) - before;
    }

    /** Returns whether the proxy cut the connection before the end of the replies. */
    private static boolean cutOff(Encoding encoding, ReaderProcess.Query query, long bytes) {
        FaultProxy proxy = REDIS.proxy();
        RedisClient broken = REDIS.client(proxy.port(), Duration.ofMillis(200));
        try {
            Activity active = ReaderProcess.open(broken, encoding);
            proxy.refuseConnections(RefusalMode.RESET);
            proxy.cut(Direction.TO_CLIENT, bytes, ConnectionEnd.RESET);
            assertThat(query.run(active)).isNotNull();
        } catch (RuntimeException cut) {
            return true;
        } finally {
            broken.close();
            proxy.close();
        }
        return false;
    }

    @Test
    void killedReaderLeavesOnlyKeysThatExpire() throws Exception {
        RedisClient client = REDIS.client();
        ReaderProcess.fill(client, Encoding.BITMAP);
        Set<String> before = REDIS.keys(client);
        long connections = REDIS.connections(client);
        Process reader = start();
        try {
            Eventually.holds(
                    "the server stores a result for the reader",
                    () -> REDIS.keys(client).size() > before.size());
        } finally {
            reader.destroyForcibly();
        }
        assertThat(reader.waitFor(60, TimeUnit.SECONDS)).isTrue();
        REDIS.awaitConnections(client, connections);

        Set<String> more = new HashSet<>(REDIS.keys(client));
        more.removeAll(before);
        assertThat(more).as("the result of the query in progress").hasSize(1);
        more.forEach(key -> assertExpires(client, key));
    }

    private static void assertExpires(RedisClient client, String key) {
        assertThat(client.call(Keys.timeToLive(key)))
                .as(key)
                .isInstanceOfSatisfying(
                        TimeToLive.Expires.class,
                        expiry -> assertThat(expiry.left()).isLessThanOrEqualTo(TemporaryResult.EXPIRY));
    }

    private Process start() throws IOException {
        String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> new File(entry).exists())
                .collect(Collectors.joining(File.pathSeparator));
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        classPath,
                        ReaderProcess.class.getName(),
                        Integer.toString(REDIS.server().port()))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("output").toFile())
                .start();
    }
}
