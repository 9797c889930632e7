// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.ClientOptions;
import io.millrace.client.Fusion;
import io.millrace.client.RedisUri;
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

/** How long it waits before it connects again: at least 8 ms, at most 64 ms, and always the half that is not chance. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ReconnectorTest {

    private static final Duration LEAST = Duration.ofMillis(8);
    private static final Duration MOST = Duration.ofMillis(64);

    private final ManualClock clock = new ManualClock();
    private final FakeRedis server = FakeRedis.start(Handler.afterHandshake(command -> Answer.reply("+PONG\r\n")));
    private final Reconnector reconnector = reconnector();

    private Reconnector reconnector() {
        ClientOptions options = ClientOptions.builder(RedisUri.of(server.host(), server.port()))
                .connectTimeout(Duration.ofSeconds(20))
                .reconnectDelay(LEAST, MOST)
                .build();
        return new Reconnector(options, Fusion.NONE, "test", clock, () -> 0);
    }

    @BeforeEach
    void growTheWaitsToTheirMost() {
        assertThat(LongStream.generate(() -> waitedMillis(false)).limit(5)).containsExactly(4L, 8L, 16L, 32L, 32L);
    }

    @AfterEach
    void stopServer() {
        server.close();
    }

    @Test
    void aConnectionThatWasOfUseIsReplacedAfterTheShortestWait() {
        long waited = waitedMillis(true);

        assertThat(waited).isEqualTo(4);
        assertThat(waitedMillis(false)).isEqualTo(8);
    }

    @Test
    void anIdleConnectionThatLivedForLongerThanTheLongestWaitIsReplacedAfterTheShortest() {
        clock.advance(MOST.plusMillis(1));

        long waited = waitedMillis(false);

        assertThat(waited).isEqualTo(4);
        assertThat(waitedMillis(false)).isEqualTo(8);
    }

    @Test
    void aConnectionThatIsLostSoonerIsWaitedForAsLongAsBefore() {
        clock.advance(MOST);

        long waited = waitedMillis(false);

        assertThat(waited).isEqualTo(32);
    }

    /** Connects after a loss; how long that took by the clock, which advances while it waits. */
    private long waitedMillis(boolean useful) {
        long before = clock.getAsLong();
        Link link = reconnector.connect("a test", useful, () -> {
            clock.advance(Duration.ofMillis(1));
            LockSupport.unpark(Thread.currentThread());
        });
        Objects.requireNonNull(link).transport().close();
        return Duration.ofNanos(clock.getAsLong() - before).toMillis();
    }
}
