// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.CommandServer;
import io.millrace.client.RawConnection;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass(name = "RESP{0}")
@ValueSource(ints = {2, 3})
class KeyExpiryTest {

    @RegisterExtension
    static final CommandServer SERVER = new CommandServer();

    private final RawConnection redis;

    KeyExpiryTest(int protocol) {
        redis = SERVER.connect(protocol);
    }

    private static final Instant TIME = Instant.ofEpochMilli(4_000_000_000_123L);

    @Test
    void expiryIsSetToATimeAndReadBack() {
        redis.run(Strings.set("k", "v"));

        assertThat(redis.run(KeyExpiry.expiryTime("k"))).isEmpty();
        assertThat(redis.run(KeyExpiry.expiryTime("none"))).isEmpty();
        assertThat(redis.run(KeyExpiry.expireAt("k", TIME))).isTrue();
        assertThat(redis.run(KeyExpiry.expireAt("none", TIME))).isFalse();
        assertThat(redis.run(KeyExpiry.expiryTime("k"))).hasValue(TIME);
    }

    @Test
    void timeInThePastDeletesTheKey() {
        redis.run(Strings.set("k", "v"));

        assertThat(redis.run(KeyExpiry.expireAt("k", Instant.ofEpochMilli(1)))).isTrue();
        assertThat(redis.run(Keys.exist("k"))).isZero();
    }

    @Test
    void expiryIsChangedOnlyIfTheConditionHolds() {
        redis.run(Strings.set("k", "v"));

        assertThat(redis.run(KeyExpiry.expireAt("k", TIME, ExpireCondition.IF_EXPIRY)))
                .isFalse();
        assertThat(redis.run(KeyExpiry.expireAt("k", TIME, ExpireCondition.IF_LATER)))
                .isFalse();
        assertThat(redis.run(KeyExpiry.expireAt("k", TIME, ExpireCondition.IF_NO_EXPIRY)))
                .isTrue();
        assertThat(redis.run(KeyExpiry.expireAt("k", TIME.plusMillis(1), ExpireCondition.IF_EARLIER)))
                .isFalse();
        assertThat(redis.run(KeyExpiry.expireAt("k", TIME.plusMillis(1), ExpireCondition.IF_LATER)))
                .isTrue();
        assertThat(redis.run(KeyExpiry.expire("k", Duration.ofDays(1), ExpireCondition.IF_NO_EXPIRY)))
                .isFalse();
        assertThat(redis.run(KeyExpiry.expiryTime("k"))).hasValue(TIME.plusMillis(1));
        assertThat(redis.run(KeyExpiry.expire("k", Duration.ofDays(1), ExpireCondition.IF_EARLIER)))
                .isTrue();
    }
}
