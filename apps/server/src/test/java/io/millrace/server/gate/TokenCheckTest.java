// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class TokenCheckTest {

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000); // the clock overflows during the test
    private final TokenCheck check = new TokenCheck("correct-horse-battery", nanos::get);

    private void guess(String address, int times) {
        for (int i = 0; i < times; i++) {
            assertThat(check.accepts("guess " + i, address)).isFalse();
        }
    }

    @Test
    void tenWrongTokensAMinuteAreAnsweredAndThenAlsoTheRightOneIsRefused() {
        guess("192.0.2.1", 10);

        assertThatThrownBy(() -> check.accepts("correct-horse-battery", "192.0.2.1"))
                .isInstanceOfSatisfying(Refusal.class, refusal -> {
                    assertThat(refusal.problem()).isEqualTo(Problem.TOO_MANY);
                    assertThat(refusal.retryAfterSeconds()).hasValue(60);
                });
        assertThat(check.accepts("correct-horse-battery", "192.0.2.2")).isTrue();
    }

    @Test
    void addressIsAnsweredAgainAfterAMinute() {
        guess("192.0.2.1", 10);

        nanos.addAndGet(Duration.ofMinutes(1).toNanos());

        assertThat(check.accepts("correct-horse-battery", "192.0.2.1")).isTrue();
        guess("192.0.2.1", 10);
    }

    @Test
    void rightTokenDoesNotForgiveWrongOnes() {
        guess("192.0.2.1", 9);
        assertThat(check.accepts("correct-horse-battery", "192.0.2.1")).isTrue();
        guess("192.0.2.1", 1);

        assertThatThrownBy(() -> check.accepts("correct-horse-battery", "192.0.2.1"))
                .isInstanceOf(Refusal.class);
    }

    @Test
    void addressesOfOneNetworkCountTogether() {
        assertThat(ClientAddress.counted("2001:db8:0:1:a:b:c:d"))
                .isEqualTo(ClientAddress.counted("2001:db8:0:1:e:f:0:1"));
        assertThat(ClientAddress.counted("2001:db8:0:2:0:0:0:1"))
                .isNotEqualTo(ClientAddress.counted("2001:db8:0:1:0:0:0:1"));
        assertThat(ClientAddress.counted("192.0.2.1")).isEqualTo("192.0.2.1");
    }

    @Test
    void sessionEndsAfterTwelveHours() {
        Sessions sessions = new Sessions(nanos::get);
        String name = sessions.begin();

        assertThat(sessions.isValid(name)).isTrue();
        nanos.addAndGet(Sessions.LIFE.toNanos() - 1);
        assertThat(sessions.isValid(name)).isTrue();
        nanos.incrementAndGet();
        assertThat(sessions.isValid(name)).isFalse();
    }

    @Test
    void oldestOfTooManySessionsEnds() {
        Sessions sessions = new Sessions(nanos::get);
        String first = sessions.begin();
        String second = sessions.begin();

        for (int i = 0; i < 999; i++) {
            var unused = sessions.begin();
        }

        assertThat(sessions.isValid(first)).isFalse();
        assertThat(sessions.isValid(second)).isTrue();
    }
}
