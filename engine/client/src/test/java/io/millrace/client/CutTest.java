// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testkit.Answer;
import io.millrace.testkit.Cut;
import io.millrace.testkit.Ending;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The connection is cut after every single byte of a batch, and of its replies, and the account is exact each time. */
@ExtendWith(NoThreadLeft.class)
class CutTest {

    private static final int COMMANDS = 4;
    private static final int COMMAND_BYTES = "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n".length();
    private static final int REPLY_BYTES = "+OK\r\n".length();

    @ParameterizedTest
    @EnumSource(Ending.class)
    void aCutAfterAnyByteOfTheRequestsLeavesAnExactAccount(Ending ending) {
        for (int bytes = 0; bytes <= COMMANDS * COMMAND_BYTES; bytes++) {
            int whole = bytes / COMMAND_BYTES;
            if (whole < COMMANDS) {
                check(Cut.requests(bytes, ending).from("SET"), whole, ending);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Ending.class)
    void aCutAfterAnyByteOfTheRepliesLeavesAnExactAccount(Ending ending) {
        for (int bytes = 0; bytes < COMMANDS * REPLY_BYTES; bytes++) {
            check(Cut.replies(bytes, ending).from("SET"), bytes / REPLY_BYTES, ending);
        }
    }

    private static void check(Cut cut, int answered, Ending ending) {
        List<Outcome> outcomes = new ArrayList<>();
        // Only silence takes as long as the timeout.
        Duration timeout = ending == Ending.SILENCE ? Duration.ofMillis(30) : Duration.ofSeconds(10);
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(command -> Answer.reply("+OK\r\n")), cut);
                RedisClient client = RedisClient.connect(RedisUri.of(server.host(), server.port()));
                BulkWriter writer = client.bulkWriter(
                        new BulkOptions(64, 1 << 20, timeout, Fusion.NONE),
                        (tag, command, outcome) -> outcomes.add(outcome))) {

            for (int i = 0; i < COMMANDS; i++) {
                writer.begin(Strings.SET).arg("k").arg("v");
                writer.end(i);
            }
            writer.finish();

            CommandCounts counts = writer.counts();
            long broken = ending == Ending.SILENCE ? counts.timedOut() : counts.lost();
            assertThat(outcomes).as("%s", cut).hasSize(COMMANDS);
            assertThat(counts.ok() + broken).as("%s: %s", cut, counts).isEqualTo(COMMANDS);
            // A reset may take with it what was not read yet; nothing else may.
            if (ending == Ending.RESET) {
                assertThat(counts.ok()).as("%s", cut).isLessThanOrEqualTo(answered);
            } else {
                assertThat(counts.ok()).as("%s", cut).isEqualTo(answered);
            }
            assertThat(outcomes.subList(0, (int) counts.ok())).allMatch(outcome -> outcome instanceof Outcome.Ok);
        }
    }
}
