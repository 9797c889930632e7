// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Fusion;
import io.millrace.client.internal.time.ClockAndRandom;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.ManualClock;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests the delay before a reconnect. In the options, the shortest delay is 8 ms and the longest delay is 64 ms. Half
 * of each delay is fixed, and half is random. In this test the random half is always zero, so the shortest delay
 * becomes 4 ms and the longest delay becomes 32 ms.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ReconnectorTest {

    private static final Duration MIN_DELAY = Duration.ofMillis(8);
    private static final Duration MAX_DELAY = Duration.ofMillis(64);

    private final ManualClock clock = new ManualClock();
    private final FakeRedis server = FakeRedis.start(Handler.afterHandshake(command -> Answer.reply("+PONG\r\n")));
    private Reconnector reconnector = reconnector(server);

    private Reconnector reconnector(FakeRedis target) {
        ClientOptions options = ClientOptions.builder(RedisUri.of(target.host(), target.port()))
                .connectTimeout(Duration.ofSeconds(20))
                .reconnectDelay(MIN_DELAY, MAX_DELAY)
                .build();
        return new Reconnector(options, new Login(options), Fusion.NONE, "test", new ClockAndRandom(clock, () -> 0));
    }

    @BeforeEach
    void growDelaysToTheirMaximum() {
        assertThat(LongStream.generate(() -> waitedMillis(false)).limit(5)).containsExactly(4L, 8L, 16L, 32L, 32L);
    }

    @AfterEach
    void stopServer() {
        server.close();
    }

    @Test
    void connectionThatReceivedRepliesIsReplacedAfterTheShortestDelay() {
        long waited = waitedMillis(true);

        assertThat(waited).isEqualTo(4);
        assertThat(waitedMillis(false)).isEqualTo(8);
    }

    @Test
    void idleConnectionOlderThanTheLongestDelayIsReplacedAfterTheShortestDelay() {
        clock.advance(MAX_DELAY.plusMillis(1));

        long waited = waitedMillis(false);

        assertThat(waited).isEqualTo(4);
        assertThat(waitedMillis(false)).isEqualTo(8);
    }

    @Test
    void idleConnectionNotOlderThanTheLongestDelayIsReplacedAfterTheLongestDelay() {
        clock.advance(MAX_DELAY);

        long waited = waitedMillis(false);

        assertThat(waited).isEqualTo(32);
    }

    @Test
    void loginIsRepeatedAfterTheLongestDelayFromTheFirstRefusalOn() {
        Handler refusing = command -> Answer.reply("-WRONGPASS invalid username-password pair\r\n");
        Handler answering = Handler.afterHandshake(command -> Answer.reply("+PONG\r\n"));
        try (FakeRedis refusingServer = FakeRedis.start(Handler.perConnection(refusing, refusing, answering))) {
            reconnector = reconnector(refusingServer);

            long waited = waitedMillis(true);

            assertThat(waited).isEqualTo(4 + 32 + 32);
            assertThat(reconnector.refusal()).isNull();
            assertThat(waitedMillis(true)).isEqualTo(4);
        }
    }

    private static boolean isCalledBy(Class<?> type) {
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getClassName().equals(type.getName())));
    }

    /**
     * Reconnects after a lost connection and returns the delay in milliseconds. The manual clock advances during the
     * delay, and stands still during the attempt after the delay.
     */
    private long waitedMillis(boolean useful) {
        long before = clock.getAsLong();
        HandshakeResult handshakeResult = reconnector.connect("a test", useful, () -> {
            if (!isCalledBy(Connector.class)) {
                clock.advance(Duration.ofMillis(1));
            }
            LockSupport.unpark(Thread.currentThread());
        });
        Objects.requireNonNull(handshakeResult).transport().close();
        return Duration.ofNanos(clock.getAsLong() - before).toMillis();
    }
}
