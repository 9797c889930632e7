// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.testkit.ManualClock;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LimitedBodyTest {

    private final ManualClock clock = new ManualClock();

    /** A body without end. Each byte takes a second. */
    private final class Trickle extends ServletInputStream {

        @Override
        public int read() {
            clock.advance(Duration.ofSeconds(1));
            return 'x';
        }

        @Override
        public int read(byte[] bytes, int offset, int length) {
            bytes[offset] = (byte) read();
            return 1;
        }

        @Override
        public boolean isFinished() {
            return false;
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setReadListener(ReadListener listener) {
            throw new UnsupportedOperationException();
        }
    }

    @Test
    void bodyThatArrivesByteByByteIsRefusedAfterTenSeconds() throws IOException {
        LimitedBody body = new LimitedBody(new Trickle(), 1_000, Duration.ofSeconds(10), clock);

        for (int second = 1; second <= 10; second++) {
            assertThat(body.read(new byte[100], 0, 100)).isEqualTo(1);
        }

        assertThatThrownBy(() -> body.read(new byte[100], 0, 100)).isInstanceOfSatisfying(Refusal.class, refusal -> {
            assertThat(refusal.problem()).isEqualTo(Problem.BAD_REQUEST);
            assertThat(refusal.detail()).isEqualTo("The body did not arrive within 10 s.");
        });
    }

    @Test
    void bodyWithoutALengthIsRefusedAtTheByteAboveItsLimit() throws IOException {
        LimitedBody body = new LimitedBody(new Trickle(), 3, Duration.ofSeconds(10), () -> 0);

        for (int i = 0; i < 3; i++) {
            assertThat(body.read()).isEqualTo('x');
        }

        assertThatThrownBy(body::read)
                .isInstanceOfSatisfying(
                        Refusal.class, refusal -> assertThat(refusal.problem()).isEqualTo(Problem.TOO_LARGE));
    }

    @Test
    void restOfABodyIsDroppedWithinTheSameTime() {
        long begin = clock.getAsLong();
        LimitedBody body = new LimitedBody(new Trickle(), 1_000, Duration.ofSeconds(10), clock);

        body.drain();
        body.drain();

        assertThat(clock.getAsLong() - begin).isEqualTo(Duration.ofSeconds(11).toNanos());
    }
}
