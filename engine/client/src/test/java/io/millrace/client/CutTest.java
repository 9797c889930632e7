// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Fusion;
import io.millrace.client.command.Strings;
import io.millrace.testkit.Answer;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.Cut;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Writes a batch with a bulk writer over a connection that the test cuts. Each trial cuts the connection after a
 * different number of bytes: bytes of the batch, or bytes of the replies. After the cut, the stats must contain the
 * correct number of successful commands.
 */
@ExtendWith(NoThreadLeft.class)
class CutTest {

    private static final int COMMANDS = 4;
    private static final int COMMAND_BYTES = "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n".length();
    private static final int REPLY_BYTES = "+OK\r\n".length();

    /**
     * Number of trials that run at the same time. The number is large, because a trial on a silent connection mostly
     * waits for its timeout.
     */
    private static final int THREADS = 32;

    @ParameterizedTest
    @EnumSource(ConnectionEnd.class)
    void statsAreCorrectAfterACutAtAnyByteOfTheRequests(ConnectionEnd connectionEnd) throws Exception {
        checkAll(
                COMMANDS * COMMAND_BYTES,
                bytes -> check(Cut.requests(bytes, connectionEnd).from("SET"), bytes / COMMAND_BYTES, connectionEnd));
    }

    @ParameterizedTest
    @EnumSource(ConnectionEnd.class)
    void statsAreCorrectAfterACutAtAnyByteOfTheReplies(ConnectionEnd connectionEnd) throws Exception {
        checkAll(
                COMMANDS * REPLY_BYTES,
                bytes -> check(Cut.replies(bytes, connectionEnd).from("SET"), bytes / REPLY_BYTES, connectionEnd));
    }

    private static void checkAll(int bytes, IntConsumer checkCutAfter) throws Exception {
        try (ExecutorService executor = Executors.newFixedThreadPool(THREADS)) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < bytes; i++) {
                int cutAfter = i;
                running.add(executor.submit(() -> checkCutAfter.accept(cutAfter)));
            }
            for (Future<?> one : running) {
                one.get();
            }
        }
    }

    private static void check(Cut cut, int answered, ConnectionEnd connectionEnd) {
        List<Outcome> outcomes = new ArrayList<>();
        // Only a trial on a silent connection waits for the timeout, so only this trial needs a short timeout.
        Duration timeout = connectionEnd == ConnectionEnd.SILENCE ? Duration.ofSeconds(1) : Duration.ofSeconds(60);
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(command -> Answer.reply("+OK\r\n")), cut);
                RedisClient client =
                        RedisClient.connect(ClientOptions.builder(RedisUri.of(server.host(), server.port()))
                                .connectTimeout(Duration.ofSeconds(60))
                                .build());
                BulkWriter writer = client.bulkWriter(
                        new BulkOptions(64, 1 << 20, timeout, Fusion.NONE),
                        (tag, command, outcome) -> outcomes.add(outcome))) {

            for (int i = 0; i < COMMANDS; i++) {
                writer.begin(Strings.SET).arg("k").arg("v");
                writer.end(i);
            }
            writer.finish();

            CommandCounts counts = writer.counts();
            long broken = connectionEnd == ConnectionEnd.SILENCE ? counts.timedOut() : counts.lost();
            assertThat(outcomes).as("%s", cut).hasSize(COMMANDS);
            assertThat(counts.ok() + broken).as("%s: %s", cut, counts).isEqualTo(COMMANDS);
            // A TCP reset may discard replies that the client has not read yet. Other ways to end the connection
            // discard no reply.
            if (connectionEnd == ConnectionEnd.RESET) {
                assertThat(counts.ok()).as("%s", cut).isLessThanOrEqualTo(answered);
            } else {
                assertThat(counts.ok()).as("%s", cut).isEqualTo(answered);
            }
            assertThat(outcomes.subList(0, (int) counts.ok())).allMatch(outcome -> outcome instanceof Outcome.Ok);
        }
    }
}
