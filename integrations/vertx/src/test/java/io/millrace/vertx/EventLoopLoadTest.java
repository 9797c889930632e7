// SPDX-License-Identifier: Apache-2.0
package io.millrace.vertx;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.ClientOptions;
import io.millrace.client.CommandCounts;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.RefusedException;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests event loops that are blocked, and event loops that send too much at once. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class EventLoopLoadTest {

    private static final int CALLBACKS = Integer.getInteger("millrace.vertxCallbacks", 10);
    private static final int SENDS = Integer.getInteger("millrace.vertxSends", 100_000);

    private static EmbeddedRedis server;

    @RegisterExtension
    final TestVertx test = new TestVertx();

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    private VertxRedis connect(ClientOptions options) throws Exception {
        return test.onEventLoop(() -> VertxRedis.connect(test.vertx(), options));
    }

    /** The last callback runs long after the deadline of its command. Its reply has arrived before. */
    @Test
    void callbacksThatBlockTheEventLoopMakeNoAnsweredCommandTimeOut() throws Exception {
        Duration timeout = Duration.ofSeconds(1);
        VertxRedis redis = connect(TestVertx.options(TestVertx.uri(server)).build());
        AtomicInteger blocked = new AtomicInteger();
        long before = System.nanoTime();

        test.onEventLoop(() -> {
            List<Future<String>> sent = new ArrayList<>();
            for (int i = 0; i < CALLBACKS; i++) {
                sent.add(redis.send(Server.ping().within(timeout)).onSuccess(reply -> {
                    block(timeout);
                    blocked.incrementAndGet();
                }));
            }
            return Future.all(sent);
        });

        assertThat(blocked).hasValue(CALLBACKS);
        assertThat(Duration.ofNanos(System.nanoTime() - before))
                .isGreaterThanOrEqualTo(timeout.multipliedBy(CALLBACKS));
        assertThat(redis.client().counts()).isEqualTo(new CommandCounts(CALLBACKS, CALLBACKS, 0, 0, 0, 0, 0));
    }

    private static void block(Duration time) {
        for (long end = System.nanoTime() + time.toNanos(); System.nanoTime() - end < 0; ) {
            LockSupport.parkNanos(end - System.nanoTime());
        }
    }

    /** Replies that arrive during the tick release permits, so more commands than the window may be sent. */
    @Test
    void everySendOfOneTickHasOneOutcome() throws Exception {
        VertxRedis redis = connect(TestVertx.options(TestVertx.uri(server)).build());
        AtomicInteger ok = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        AtomicInteger other = new AtomicInteger();

        test.onEventLoop(() -> {
            List<Future<String>> sent = new ArrayList<>();
            for (int i = 0; i < SENDS; i++) {
                sent.add(redis.send(Strings.set("k" + i % 1_000, "v")).onComplete(end -> {
                    AtomicInteger counter =
                            end.succeeded() ? ok : end.cause() instanceof RefusedException ? refused : other;
                    counter.incrementAndGet();
                }));
            }
            return Future.join(sent).otherwiseEmpty();
        });

        assertThat(ok.get() + refused.get()).isEqualTo(SENDS);
        assertThat(other).hasValue(0);
        assertThat(ok.get()).isGreaterThanOrEqualTo(ClientOptions.IN_FLIGHT.defaultValue());
        assertThat(redis.client().counts()).isEqualTo(new CommandCounts(SENDS, ok.get(), 0, 0, refused.get(), 0, 0));
        assertThat(redis.client().stats().connections().getFirst().inFlight()).isZero();
        // The client still works, and its next tick has the whole window.
        assertThat(test.onEventLoop(() -> redis.send(Server.ping()))).isEqualTo("PONG");
    }
}
