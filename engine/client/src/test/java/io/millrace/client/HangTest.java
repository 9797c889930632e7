// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Command;
import io.millrace.client.command.Fusion;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.RedisException;
import io.millrace.client.internal.time.ClockAndRandom;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.ManualClock;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.StatsCheck;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Tests when the client decides that a server hangs, and ends the connection. The clock moves only if a test advances
 * it.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class HangTest {

    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration STEP = Duration.ofSeconds(3);

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    @RegisterExtension
    final StatsCheck stats = new StatsCheck();

    private final ManualClock clock = new ManualClock();
    private final CountDownLatch released = new CountDownLatch(1);

    /** The first connection holds each reply until the test releases it. Later connections reply at once. */
    private FakeRedis startServer() {
        return FakeRedis.start(Handler.perConnection(
                Handler.afterHandshake(command -> Answer.reply("+OK\r\n").heldUntil(released)),
                Handler.afterHandshake(command -> Answer.reply("+OK\r\n"))));
    }

    private RedisClient connect(FakeRedis server, UnaryOperator<ClientOptions.Builder> change) {
        ClientOptions.Builder options = WatchedClients.options(WatchedClients.uri(server))
                .commandTimeout(SHORT)
                .fusion(Fusion.NONE)
                .reconnectDelay(Duration.ofMillis(1), Duration.ofMillis(1));
        RedisClient client =
                RedisClient.connect(change.apply(options).build(), new ClockAndRandom(clock, new Random(1)));
        stats.watch("client", () -> StatsAdapter.of(client.counts()));
        return client;
    }

    private static Command<String> set(String key) {
        return Strings.set(key, "v");
    }

    private static void awaitReceived(FakeRedis server, String key) {
        Eventually.await(
                key + " is received",
                () -> server.commands().stream()
                        .anyMatch(command ->
                                command.name().equals("SET") && command.text(1).equals(key)));
    }

    @Test
    void overdueCommandsBehindALongCommandDoNotEndTheConnection() {
        try (FakeRedis server = startServer();
                RedisClient client = connect(server, UnaryOperator.identity())) {
            CompletableFuture<String> slow = client.send(set("slow").within(LONG));

            for (int i = 0; i < 10; i++) {
                CompletableFuture<String> behind = client.send(set("behind" + i));
                awaitReceived(server, "behind" + i);
                clock.advance(STEP);
                assertThat(CommandFate.of(behind)).isEqualTo(CommandFate.TIMED_OUT);
            }
            released.countDown();

            assertThat(CommandFate.of(slow)).isEqualTo(CommandFate.OK);
            assertThat(client.call(set("after"))).isEqualTo("OK");
            assertThat(client.stats().reconnections()).isZero();
            assertThat(client.counts()).isEqualTo(new CommandCounts(12, 2, 0, 10, 0, 0, 0));
        }
    }

    @Test
    void serverThatDoesNotAnswerARenewedLoginHangs() throws Exception {
        Handler usual = Handler.afterHandshake(command -> Answer.reply("+OK\r\n"));
        Handler silent = command ->
                command.name().equals("AUTH") ? Answer.reply("+OK\r\n").heldUntil(released) : usual.answer(command);
        try (FakeRedis server = FakeRedis.start(Handler.perConnection(silent, usual));
                RedisClient client =
                        connect(server, options -> options.credentials(() -> Credentials.of("default", "secret")))) {
            Thread renewal = Thread.startVirtualThread(() -> {
                try {
                    client.renewLogin();
                } catch (RedisException noReply) {
                    // The first connection has no reply.
                }
            });
            Eventually.await(
                    "AUTH is received",
                    () -> server.commands().stream()
                            .anyMatch(command -> command.name().equals("AUTH")));

            Eventually.await("the connection is replaced", () -> {
                clock.advance(STEP);
                return client.stats().reconnections() > 0;
            });

            assertThat(client.call(set("after"))).isEqualTo("OK");
            renewal.join();
        }
    }

    /** A server may send the replies to several commands together, after it has executed the last of these commands. */
    @Test
    void overdueCommandsAheadOfALongCommandDoNotEndTheConnection() {
        try (FakeRedis server = startServer();
                RedisClient client = connect(server, UnaryOperator.identity())) {
            CompletableFuture<String> ahead = client.send(set("ahead"));
            CompletableFuture<String> slow = client.send(set("slow").within(LONG));
            awaitReceived(server, "slow");

            for (int i = 0; i < 10; i++) {
                CompletableFuture<String> behind = client.send(set("behind" + i));
                awaitReceived(server, "behind" + i);
                clock.advance(STEP);
                assertThat(CommandFate.of(behind)).isEqualTo(CommandFate.TIMED_OUT);
            }
            released.countDown();

            assertThat(CommandFate.of(ahead)).isEqualTo(CommandFate.TIMED_OUT);
            assertThat(CommandFate.of(slow)).isEqualTo(CommandFate.OK);
            assertThat(client.stats().reconnections()).isZero();
        }
    }

    @Test
    void serverHangsWhenTheOldestCommandIsOverdueForLongerThanItsTimeLimit() {
        try (FakeRedis server = startServer();
                RedisClient client = connect(server, UnaryOperator.identity())) {
            CompletableFuture<String> slow = client.send(set("slow").within(LONG));
            awaitReceived(server, "slow");
            clock.advance(LONG);
            assertThat(CommandFate.of(slow)).isEqualTo(CommandFate.TIMED_OUT);
            clock.advance(LONG.minus(SHORT));
            CompletableFuture<String> behind = client.send(set("behind"));
            awaitReceived(server, "behind");
            clock.advance(SHORT);
            assertThat(CommandFate.of(behind)).isEqualTo(CommandFate.TIMED_OUT);
            assertThat(client.isOpen()).isTrue();

            clock.advance(Duration.ofMillis(1));
            awaitReconnection(client);

            assertThat(log.lines()).anyMatch(line -> line.contains("the server hangs: no bytes were read for 1200"));
            assertThat(client.call(set("after"))).isEqualTo("OK");
        }
    }

    @Test
    void serverHangsWhenTheOldestCommandIsOverdueForLongerThanTheCommandTimeout() {
        try (FakeRedis server = startServer();
                RedisClient client = connect(server, UnaryOperator.identity())) {
            CompletableFuture<String> first = client.send(set("first").within(Duration.ofMillis(1)));
            awaitReceived(server, "first");
            clock.advance(SHORT);
            assertThat(CommandFate.of(first)).isEqualTo(CommandFate.TIMED_OUT);
            CompletableFuture<String> second = client.send(set("second"));
            awaitReceived(server, "second");

            clock.advance(Duration.ofMillis(2));

            assertThat(CommandFate.of(second)).isEqualTo(CommandFate.LOST_SENT);
            awaitReconnection(client);
            assertThat(client.call(set("after"))).isEqualTo("OK");
        }
    }

    /** Advances the clock while the client reconnects, because the delay before an attempt uses this clock. */
    private void awaitReconnection(RedisClient client) {
        Eventually.await("the client connects again", () -> {
            clock.advance(Duration.ofMillis(1));
            return client.stats().reconnections() == 1 && client.isOpen();
        });
    }

    @Test
    void overdueCommandsBehindALongCommandKeepTheirPermits() {
        int permits = 8;
        try (FakeRedis server = startServer();
                RedisClient client =
                        connect(server, options -> options.inFlight(permits).overflow(Overflow.REFUSE))) {
            CompletableFuture<String> slow = client.send(set("slow").within(LONG));
            List<CommandFate> behind = new ArrayList<>();
            for (int i = 0; i < 2 * permits; i++) {
                CompletableFuture<String> sent = client.send(set("behind" + i));
                if (!sent.isDone()) {
                    awaitReceived(server, "behind" + i);
                }
                clock.advance(SHORT);
                behind.add(CommandFate.of(sent));
            }

            assertThat(behind.subList(0, permits - 1)).containsOnly(CommandFate.TIMED_OUT);
            assertThat(behind.subList(permits - 1, 2 * permits)).containsOnly(CommandFate.REFUSED);
            released.countDown();
            assertThat(CommandFate.of(slow)).isEqualTo(CommandFate.OK);
        }
    }
}
