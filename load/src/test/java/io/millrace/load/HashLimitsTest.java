// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.load.target.BucketOptions;
import io.millrace.load.target.PlanException;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NoThreadLeft.class)
class HashLimitsTest {

    private static final HashLimits LIMITS = new HashLimits("listpack", OptionalLong.of(512), OptionalLong.of(64));

    @Test
    void serverBefore7ReportsZiplistNames() {
        HashLimits limits = asked("*4\r\n$24\r\nhash-max-ziplist-entries\r\n$3\r\n128\r\n"
                + "$22\r\nhash-max-ziplist-value\r\n$2\r\n32\r\n");

        assertThat(limits).isEqualTo(new HashLimits("ziplist", OptionalLong.of(128), OptionalLong.of(32)));
        assertThatThrownBy(() -> limits.check(BucketOptions.of(129)))
                .isInstanceOf(PlanException.class)
                .hasMessageContaining("bucket=129, hash-max-ziplist-entries=128");
    }

    @Test
    void unknownLimitGivesAWarning() {
        HashLimits refused = asked("-NOPERM this user has no permissions to run the 'config|get' command\r\n");
        HashLimits unknown = asked("-ERR unknown command 'CONFIG'\r\n");
        HashLimits empty = asked("*0\r\n");
        HashLimits noNumber = asked("*2\r\n$25\r\nhash-max-listpack-entries\r\n$9\r\nunlimited\r\n");

        for (HashLimits limits : new HashLimits[] {refused, unknown, empty, noNumber}) {
            assertThat(limits.entries()).isEmpty();
            assertThat(limits.check(BucketOptions.of(1_000)).orElseThrow())
                    .contains("does not report its limit")
                    .contains("bucket=1000");
        }
    }

    @Test
    void bucketUpToTheLimitIsAccepted() {
        assertThat(LIMITS.check(BucketOptions.of(512))).isEmpty();
    }

    @Test
    void bucketAboveTheLimitIsRefusedUnlessAllowed() {
        assertThatThrownBy(() -> LIMITS.check(BucketOptions.of(513)))
                .isInstanceOf(PlanException.class)
                .hasMessageContaining("bucket=513, hash-max-listpack-entries=512. Choose 512 or less")
                .hasMessageNotContaining("\n");
        assertThat(LIMITS.check(BucketOptions.of(513).withAboveLimit()).orElseThrow())
                .endsWith("bucket=513, hash-max-listpack-entries=512.");
    }

    @Test
    void messageForALimitBelowTheSmallestBucketSuggestsNoSize() {
        HashLimits one = new HashLimits("listpack", OptionalLong.of(1), OptionalLong.of(64));
        HashLimits fifteen = new HashLimits("listpack", OptionalLong.of(15), OptionalLong.of(64));

        assertThatThrownBy(() -> one.check(BucketOptions.of(2)))
                .hasMessageEndingWith("hash-max-listpack-entries=1. Raise the setting on the server,"
                        + " or allow this size (bucket-above-limit).");
        assertThatThrownBy(() -> fifteen.check(BucketOptions.of(16).withPairs(1_000)))
                .hasMessageContaining("=15. Raise the");
        assertThatThrownBy(() -> fifteen.check(BucketOptions.of(16)))
                .hasMessageContaining("=15. Choose 15 or less, raise");
    }

    @Test
    void longRowsAreCountedInAWarning() {
        assertThat(LIMITS.ofLongRows(0)).isEmpty();
        assertThat(LIMITS.ofLongRows(1).orElseThrow())
                .startsWith("1 row has a field or a value of more than hash-max-listpack-value=64 bytes");
        assertThat(LIMITS.ofLongRows(12_345).orElseThrow()).startsWith("12,345 rows have ");
    }

    private static HashLimits asked(String reply) {
        Handler handler = Handler.afterHandshake(
                command -> Answer.reply(command.name().equalsIgnoreCase("CONFIG") ? reply : "+PONG\r\n"));
        try (FakeRedis server = FakeRedis.start(handler);
                RedisClient client = RedisClient.connect(ClientOptions.builder(RedisUri.parse(server.uri()))
                        .connectTimeout(Duration.ofSeconds(60))
                        .build())) {
            return HashLimits.of(ControlCalls.of(client, LoadOptions.defaults(), new CancelSignal()));
        }
    }
}
