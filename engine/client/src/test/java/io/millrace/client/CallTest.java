// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.command.Command;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RedisException;
import io.millrace.client.exception.RefusedException;
import io.millrace.client.exception.TimedOutException;
import io.millrace.testkit.Answer;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NoThreadLeft.class)
class CallTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    /** Replies to a GET command with the key of the command, so that each reply identifies its command. */
    private static Answer echo(io.millrace.testkit.ReceivedCommand command) {
        String key = command.text(1);
        return Answer.reply("$" + key.getBytes(UTF_8).length + "\r\n" + key + "\r\n");
    }

    @Test
    void errorReplyIsThrownAsAnExceptionWithItsCode() {
        try (FakeRedis server = FakeRedis.start(
                        Handler.afterHandshake(command -> Answer.reply("-WRONGTYPE Operation against a key\r\n")));
                RedisClient client = connect(server, TIMEOUT)) {

            ErrorReplyException failure =
                    catchThrowableOfType(ErrorReplyException.class, () -> client.call(Strings.get("k")));

            assertThat(failure.code()).isEqualTo("WRONGTYPE");
            assertThat(client.counts()).isEqualTo(new CommandCounts(1, 0, 1, 0, 0, 0, 0));
        }
    }

    @Test
    void timeoutMessageContainsThePhaseOfTheCallAndTheLateReplyIsDropped() {
        CountDownLatch released = new CountDownLatch(1);
        Handler handler = Handler.afterHandshake(
                command -> command.text(1).equals("slow") ? echo(command).heldUntil(released) : echo(command));
        try (FakeRedis server = FakeRedis.start(handler);
                RedisClient client = connect(server, Duration.ofMillis(200))) {
            long before = System.nanoTime();

            TimedOutException failure =
                    catchThrowableOfType(TimedOutException.class, () -> client.call(Strings.get("slow")));
            Duration took = Duration.ofNanos(System.nanoTime() - before);
            released.countDown();
            Optional<String> next = client.call(Strings.get("next").within(TIMEOUT));

            assertThat(took).isBetween(Duration.ofMillis(200), Duration.ofSeconds(20));
            assertThat(failure)
                    .hasMessageContainingAll(
                            "GET timed out after",
                            "endpoint=" + server.host() + ":" + server.port(),
                            "connection=",
                            "phase=sent",
                            "inFlight=1",
                            "limit=" + ClientOptions.IN_FLIGHT.defaultValue());
            assertThat(failure.maybeExecuted()).isTrue();
            assertThat(next).hasValue("next");
            assertThat(client.counts()).isEqualTo(new CommandCounts(2, 1, 0, 1, 0, 0, 0));
        }
    }

    @Test
    void deadlineAlsoLimitsTheWaitForAPermit() {
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(command -> Answer.end(ConnectionEnd.SILENCE)));
                RedisClient client =
                        RedisClient.connect(ClientOptions.builder(RedisUri.of(server.host(), server.port()))
                                .connectTimeout(Duration.ofSeconds(60))
                                .inFlight(1)
                                .commandTimeout(Duration.ofMillis(200))
                                .build())) {
            CompletableFuture<Optional<String>> first = client.send(Strings.get("a"));
            long before = System.nanoTime();

            RefusedException refused =
                    catchThrowableOfType(RefusedException.class, () -> client.call(Strings.get("b")));

            assertThat(Duration.ofNanos(System.nanoTime() - before)).isBetween(Duration.ofMillis(200), TIMEOUT);
            assertThat(refused).hasMessageContaining("waiting for a permit").hasMessageContaining("limit=1");
            assertThat(refused.maybeExecuted()).isFalse();
            assertThatThrownBy(() -> first.get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(TimedOutException.class);
            assertThat(client.counts()).isEqualTo(new CommandCounts(2, 0, 0, 1, 1, 0, 0));
        }
    }

    @Test
    void interruptedCallerReturnsAndTheConnectionStaysUsable() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        Handler handler = Handler.afterHandshake(
                command -> command.text(1).equals("slow") ? echo(command).heldUntil(released) : echo(command));
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        try (FakeRedis server = FakeRedis.start(handler);
                RedisClient client = connect(server, TIMEOUT)) {
            Thread caller = Thread.ofVirtual().start(() -> {
                try {
                    client.call(Strings.get("slow"));
                } catch (RedisException e) {
                    thrown.set(e);
                }
            });
            server.awaitCommands(3, TIMEOUT);

            caller.interrupt();
            caller.join();
            released.countDown();

            assertThat(thrown.get()).isInstanceOf(InterruptedCommandException.class);
            assertThat(client.call(Strings.get("next"))).hasValue("next");
            // The two commands use two connections, so the reply to "slow" may be read after the reply to "next".
            Eventually.await(
                    "both replies are counted", () -> client.counts().equals(new CommandCounts(2, 2, 0, 0, 0, 0, 0)));
        }
    }

    @Test
    void replyToACancelledFutureIsDropped() {
        CountDownLatch released = new CountDownLatch(1);
        Handler handler = Handler.afterHandshake(
                command -> command.text(1).equals("slow") ? echo(command).heldUntil(released) : echo(command));
        try (FakeRedis server = FakeRedis.start(handler);
                RedisClient client = connect(server, TIMEOUT)) {
            CompletableFuture<Optional<String>> cancelled = client.send(Strings.get("slow"));
            server.awaitCommands(3, TIMEOUT);

            boolean wasCancelled = cancelled.cancel(true);
            released.countDown();

            assertThat(wasCancelled).isTrue();
            assertThat(client.call(Strings.get("next"))).hasValue("next");
            assertThat(cancelled).isCancelled();
            // The two commands use two connections, so the reply to "slow" may be read after the reply to "next".
            Eventually.await(
                    "both replies are counted", () -> client.counts().equals(new CommandCounts(2, 2, 0, 0, 0, 0, 0)));
        }
    }

    @Test
    void blockingCallbacksDoNotDelayOtherCallers() throws Exception {
        CountDownLatch attached = new CountDownLatch(1);
        CountDownLatch unblock = new CountDownLatch(1);
        Handler handler = Handler.afterHandshake(command -> echo(command).heldUntil(attached));
        try (FakeRedis server = FakeRedis.start(handler);
                RedisClient client = connect(server, TIMEOUT)) {
            List<CompletableFuture<Void>> blocked = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                blocked.add(client.send(Strings.get("k" + i)).thenAccept(value -> {
                    try {
                        unblock.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }));
            }

            attached.countDown();
            Optional<String> other = client.call(Strings.get("other"));
            unblock.countDown();
            CompletableFuture.allOf(blocked.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);

            assertThat(other).hasValue("other");
            assertThat(client.counts()).isEqualTo(new CommandCounts(11, 11, 0, 0, 0, 0, 0));
        }
    }

    @Test
    void unansweredSetCommandIsLostWithItsConnectionButAGetCommandIsNotLost() throws Exception {
        Handler handler = Handler.afterHandshake(command -> Answer.end(ConnectionEnd.SILENCE));
        try (FakeRedis server = FakeRedis.start(handler);
                RedisClient client = connect(server, TIMEOUT)) {
            CompletableFuture<String> write = client.send(Strings.set("k", "v"));
            CompletableFuture<Optional<String>> read =
                    client.send(Strings.get("k").within(Duration.ofSeconds(2)));
            server.awaitCommands(4, TIMEOUT);

            server.close();

            assertThatThrownBy(() -> write.get(60, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isInstanceOfSatisfying(
                            ConnectionLostException.class,
                            lost -> assertThat(lost.maybeExecuted()).isTrue());
            assertThat(client.isOpen()).isFalse();
            assertThatThrownBy(() -> read.get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(TimedOutException.class);
            assertThatThrownBy(() -> client.call(Strings.set("later", "v").within(Duration.ofMillis(200))))
                    .isInstanceOf(TimedOutException.class)
                    .hasMessageContaining("phase=not connected");
            assertThat(client.counts()).isEqualTo(new CommandCounts(3, 0, 0, 2, 0, 1, 0));
        }
    }

    @Test
    void pushesAreNotMistakenForReplies() {
        Handler handler = Handler.afterHandshake(
                command -> Answer.reply(">2\r\n$10\r\ninvalidate\r\n*0\r\n").then(echo(command)));
        try (FakeRedis server = FakeRedis.start(handler);
                RedisClient client = connect(server, TIMEOUT)) {

            assertThat(client.call(Strings.get("a"))).hasValue("a");
            assertThat(client.call(Strings.get("b"))).hasValue("b");
        }
    }

    @Test
    void connectionToAHangingServerIsClosedAfterTwiceTheTimeout() {
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(command -> Answer.end(ConnectionEnd.SILENCE)));
                RedisClient client = connect(server, Duration.ofMillis(100))) {

            assertThatThrownBy(() -> client.call(Strings.get("k"))).isInstanceOf(TimedOutException.class);
            server.awaitDisconnections(1, TIMEOUT);

            assertThat(client.isOpen()).isFalse();
        }
    }

    @Test
    void commandsThatChangeTheStateOfASharedConnectionAreRejected() {
        for (String name : List.of(
                "SUBSCRIBE", "multi", "CLIENT REPLY", "CLIENT", "MONITOR", "subscribe news", "CLIENT REPLY SKIP")) {
            assertThatThrownBy(() -> CommandSpec.of(name, Replies::raw))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(name);
        }
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(CallTest::echo));
                RedisClient client = connect(server, TIMEOUT)) {
            for (String name :
                    List.of("SELECT", "watch", "CLIENT TRACKING", "BLPOP", "SELECT 1", "blpop q", "WATCH k")) {
                assertThatThrownBy(() -> client.send(Command.of(name, "1")))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContainingAll(name, "dedicated connection");
            }
        }
        for (String name : List.of("", " GET", "A  B", "größe")) {
            assertThatThrownBy(() -> CommandSpec.of(name, Replies::raw)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void exceptionOfTheDecoderCompletesTheFutureExceptionally() {
        CommandSpec<String> broken = CommandSpec.of("GET", reply -> {
            throw new AssertionError("thrown by the decoder");
        });
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(CallTest::echo));
                RedisClient client = connect(server, TIMEOUT)) {

            assertThatThrownBy(() -> client.send(Command.of(broken, "k")).get(60, TimeUnit.SECONDS))
                    .hasRootCauseMessage("thrown by the decoder");
        }
    }

    private static RedisClient connect(FakeRedis server, Duration timeout) {
        return RedisClient.connect(ClientOptions.builder(RedisUri.of(server.host(), server.port()))
                .connectTimeout(Duration.ofSeconds(60))
                .commandTimeout(timeout)
                .build());
    }
}
