// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Keys;
import io.millrace.client.RedisClient;
import io.millrace.client.TimeToLive;
import io.millrace.testkit.Direction;
import io.millrace.testkit.Ending;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.Refusal;
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

/** Readers that die in the middle of a question, and what the server keeps of it. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class KilledReaderTest {

    @RegisterExtension
    static final Redis REDIS = new Redis();

    private static final long SEED = 20_261_122;
    private static final int CUTS = 4;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @EnumSource
    void questionsThatWereAnsweredLeaveNoKey(Form form) {
        RedisClient client = REDIS.client();
        ReaderProcess.fill(client, form);
        Set<String> before = REDIS.keys(client);

        for (ReaderProcess.Question question : ReaderProcess.Question.values()) {
            assertThat(question.ask(ReaderProcess.open(client, form))).isNotNull();
            assertThat(REDIS.keys(client)).as("%s", question).isEqualTo(before);
        }
    }

    /** Nobody comes back over another line either, as after the death of a process. */
    @ParameterizedTest
    @EnumSource(names = {"BITMAP", "CHUNKED"})
    void readerThatIsCutOffLeavesNothingThatStays(Form form) {
        System.out.println("KilledReaderTest: seed=" + SEED);
        SplittableRandom random = new SplittableRandom(SEED);
        RedisClient client = REDIS.client();
        ReaderProcess.fill(client, form);
        Set<String> before = REDIS.keys(client);
        int failed = 0;
        int leftBehind = 0;
        for (ReaderProcess.Question question : ReaderProcess.Question.values()) {
            long answers = bytesOfAnswers(form, question);
            long connections = REDIS.connections(client);
            for (int i = 0; i < CUTS; i++) {
                long cut = i == 0 ? 1 : random.nextLong(answers);
                failed += cutOff(form, question, cut) ? 1 : 0;
                // Now the server has read what was sent before the cut.
                REDIS.awaitConnections(client, connections);

                Set<String> more = new HashSet<>(REDIS.keys(client));
                more.removeAll(before);
                more.forEach(key -> assertExpires(client, key));
                leftBehind += more.size();
                client.call(Keys.unlink(add(more, "none")));
            }
            assertThat(REDIS.keys(client)).isEqualTo(before);
        }
        assertThat(failed).isGreaterThan(ReaderProcess.Question.values().length * CUTS / 2);
        assertThat(leftBehind > 0)
                .as("some were cut off while the server kept a result")
                .isEqualTo(form == Form.BITMAP);
    }

    private static String[] add(Set<String> keys, String more) {
        Set<String> all = new HashSet<>(keys);
        all.add(more);
        return all.toArray(String[]::new);
    }

    private static long bytesOfAnswers(Form form, ReaderProcess.Question question) {
        FaultProxy proxy = REDIS.proxy();
        Activity active = ReaderProcess.open(REDIS.client(proxy.port()), form);
        long before = proxy.forwardedBytes(Direction.TO_CLIENT);
        assertThat(question.ask(active)).isNotNull();
        // Bytes may be counted a moment after they were read.
        Eventually.holds("some bytes", () -> proxy.forwardedBytes(Direction.TO_CLIENT) > before);
        return proxy.forwardedBytes(Direction.TO_CLIENT) - before;
    }

    /** Whether it was cut before the last of the answer that is needed. */
    private static boolean cutOff(Form form, ReaderProcess.Question question, long answered) {
        FaultProxy proxy = REDIS.proxy();
        RedisClient broken = REDIS.client(proxy.port(), Duration.ofMillis(200));
        try {
            Activity active = ReaderProcess.open(broken, form);
            proxy.refuseConnections(Refusal.RESET);
            proxy.cut(Direction.TO_CLIENT, answered, Ending.RESET);
            assertThat(question.ask(active)).isNotNull();
        } catch (RuntimeException cut) {
            return true;
        } finally {
            broken.close();
            proxy.close();
        }
        return false;
    }

    @Test
    void readerThatIsKilledLeavesNothingThatStays() throws Exception {
        RedisClient client = REDIS.client();
        ReaderProcess.fill(client, Form.BITMAP);
        Set<String> before = REDIS.keys(client);
        long connections = REDIS.connections(client);
        Process reader = start();
        try {
            Eventually.holds(
                    "a result is kept for the reader", () -> REDIS.keys(client).size() > before.size());
        } finally {
            reader.destroyForcibly();
        }
        assertThat(reader.waitFor(20, TimeUnit.SECONDS)).isTrue();
        REDIS.awaitConnections(client, connections);

        Set<String> more = new HashSet<>(REDIS.keys(client));
        more.removeAll(before);
        assertThat(more).as("it was in the middle").hasSize(1);
        more.forEach(key -> assertExpires(client, key));
    }

    private static void assertExpires(RedisClient client, String key) {
        assertThat(client.call(Keys.timeToLive(key)))
                .as(key)
                .isInstanceOfSatisfying(
                        TimeToLive.Expires.class,
                        expiry -> assertThat(expiry.left()).isLessThanOrEqualTo(Temporary.KEPT));
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
                .redirectOutput(folder.resolve("words").toFile())
                .start();
    }
}
