// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.SHORT_LIMIT;
import static io.millrace.client.WatchedClients.uri;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Strings;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RedisException;
import io.millrace.client.exception.TimedOutException;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.ReceivedCommand;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Tests calls whose calling thread reads the reply from the socket, in place of the reader thread. A calling thread
 * does this if it is a platform thread and the only caller on its connection. Timeouts, interrupts and calls of other
 * threads must work in the same way as for a reply that the reader thread reads.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ReadingCallerTest {

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    /** The server sends the reply to {@code GET slow} when this latch is released. Each attempt has a new latch. */
    private volatile CountDownLatch released = new CountDownLatch(1);

    /** Timeout of the command whose reply the server holds back. */
    private volatile Duration limit = WatchedClients.TIMEOUT;

    private final AtomicReference<Object> result = new AtomicReference<>();

    private final FakeRedis server = FakeRedis.start(Handler.afterHandshake(
            command -> command.text(1).equals("slow") ? echo(command).heldUntil(released) : echo(command)));

    @AfterEach
    void stopServer() {
        released.countDown();
        server.close();
    }

    private static Answer echo(ReceivedCommand command) {
        String key = command.text(1);
        return Answer.reply("$" + key.getBytes(UTF_8).length + "\r\n" + key + "\r\n");
    }

    /**
     * Starts a thread that makes some calls while it is the only caller. The thread then takes the reading role, which
     * is the right to read replies. The thread waits for a reply in the selector. On a busy machine the thread may be
     * too late to take the reading role. The thread then parks, and the method tries again with a new thread.
     */
    private Thread readingCaller(RedisClient client) throws InterruptedException {
        while (true) {
            AtomicBoolean alone = new AtomicBoolean();
            Thread caller = Thread.ofPlatform().start(() -> callAlone(client, alone));
            Eventually.await("the caller waits", () -> alone.get() && (reads(caller) || !isRunning(caller)));
            if (reads(caller)) {
                return caller;
            }
            released.countDown();
            caller.join();
            released = new CountDownLatch(1);
        }
    }

    private void callAlone(RedisClient client, AtomicBoolean alone) {
        for (int i = 0; i < 100; i++) {
            assertThat(client.call(Strings.get("k" + i))).hasValue("k" + i);
        }
        alone.set(true);
        try {
            result.set(client.call(Strings.get("slow").within(limit)));
        } catch (RedisException e) {
            result.set(e);
        }
    }

    private static boolean isRunning(Thread thread) {
        return thread.getState() == Thread.State.RUNNABLE;
    }

    private static boolean reads(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals("readOnce"));
    }

    @Test
    void soleCallerReadsItsOwnReply() throws Exception {
        try (RedisClient client = clients.connect(uri(server))) {
            Thread caller = readingCaller(client);

            released.countDown();
            caller.join();

            assertThat(result).hasValue(Optional.of("slow"));
        }
    }

    @Test
    void virtualThreadDoesNotReadItsOwnReply() throws Exception {
        try (RedisClient client = clients.connect(uri(server))) {
            AtomicReference<Boolean> read = new AtomicReference<>(false);
            Thread caller = Thread.startVirtualThread(() -> {
                for (int i = 0; i < 1_000; i++) {
                    client.call(Strings.get("k"));
                }
                result.set(client.call(Strings.get("slow")));
            });
            Eventually.await("the caller waits", () -> caller.getState() == Thread.State.WAITING);
            read.set(reads(caller));
            released.countDown();
            caller.join();

            assertThat(read).hasValue(false);
            assertThat(result).hasValue(Optional.of("slow"));
        }
    }

    /**
     * Only this command times out. The connection stays open, because its time limit is longer than the timeout of the
     * command.
     */
    @Test
    void callerThatReadsItsOwnReplyTimesOutAtItsDeadline() throws Exception {
        limit = Duration.ofMillis(500);
        try (RedisClient client = clients.connect(uri(server))) {
            Thread caller = readingCaller(client);

            caller.join(SHORT_LIMIT);

            assertThat(result.get()).isInstanceOf(TimedOutException.class);
            released.countDown();
            assertThat(client.call(Strings.get("next"))).hasValue("next");
            assertThat(server.acceptedConnections()).isEqualTo(1);
        }
    }

    @Test
    void interruptEndsTheWaitOfTheReadingCallerAndKeepsTheConnectionOpen() throws Exception {
        try (RedisClient client = clients.connect(uri(server))) {
            Thread caller = readingCaller(client);

            caller.interrupt();
            caller.join(SHORT_LIMIT);

            assertThat(result.get()).isInstanceOf(InterruptedCommandException.class);
            released.countDown();
            assertThat(client.call(Strings.get("next"))).hasValue("next");
            assertThat(server.acceptedConnections()).isEqualTo(1);
        }
    }

    @Test
    void otherCallersReceiveTheirRepliesWhileOneCallerReads() throws Exception {
        try (RedisClient client = clients.connect(uri(server))) {
            Thread caller = readingCaller(client);

            List<CompletableFuture<Optional<String>>> others =
                    List.of(client.send(Strings.get("a")), client.send(Strings.get("b")));
            released.countDown();
            caller.join();

            assertThat(result).hasValue(Optional.of("slow"));
            assertThat(others.get(0).get(SHORT_LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .hasValue("a");
            assertThat(others.get(1).get(SHORT_LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .hasValue("b");
        }
    }

    @Test
    void closingTheClientEndsTheWaitOfTheReadingCaller() throws Exception {
        RedisClient client = clients.connect(uri(server));
        Thread caller = readingCaller(client);

        client.close();
        caller.join(SHORT_LIMIT);

        assertThat(result.get()).isInstanceOf(ConnectionLostException.class);
    }

    @Test
    void futureIsCompletedEvenIfNoThreadWaitsForIt() throws Exception {
        try (RedisClient client = clients.connect(uri(server))) {
            for (int i = 0; i < 100; i++) {
                client.call(Strings.get("k"));
            }

            CompletableFuture<Optional<String>> future = client.send(Strings.get("later"));

            assertThat(future.get(SHORT_LIMIT.toSeconds(), TimeUnit.SECONDS)).hasValue("later");
        }
    }

    /** The replies arrive long before the deadline, but no thread reads the replies before the pipeline runs. */
    @Test
    void pipelineThatIsRunLongAfterItWasFilledDoesNotTimeOut() {
        Duration limit = Duration.ofMillis(500);
        try (RedisClient client = clients.connect(uri(server), options -> options.commandTimeout(limit))) {
            for (int i = 0; i < 100; i++) {
                client.call(Strings.get("k").within(SHORT_LIMIT));
            }
            Pipeline pipeline = client.pipeline();
            for (int i = 0; i < 64; i++) {
                pipeline.add(Strings.get("p" + i));
            }
            long until = System.nanoTime() + 3 * limit.toNanos();
            Eventually.await("the timeout has passed", () -> System.nanoTime() - until > 0);

            List<Result<?>> results = pipeline.run();

            assertThat(results).hasSize(64).allMatch(result -> result.outcome() instanceof Outcome.Ok);
        }
    }
}
