// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Server;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests executors that the reader calls, also executors that break their promise not to block. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
@SuppressWarnings("FutureReturnValueIgnored") // a test that waits for the effect of the callback
class NonBlockingExecutorTest {

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    private final FakeRedis server = FakeRedis.start(Handler.afterHandshake(command -> Answer.reply("+PONG\r\n")));

    private final ExecutorService loop = Executors.newSingleThreadExecutor(task -> new Thread(task, "loop"));

    /** Names of the threads that called the executor. */
    private final List<String> callers = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() throws InterruptedException {
        loop.shutdown();
        assertThat(loop.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        server.close();
    }

    private RedisClient connect() {
        return clients.connect(WatchedClients.uri(server), options -> options.overflow(Overflow.REFUSE));
    }

    private Executor recording(Executor executor) {
        return new NonBlockingExecutor(task -> {
            callers.add(Thread.currentThread().getName());
            executor.execute(task);
        });
    }

    private static void ping(RedisClient client, Executor executor) throws Exception {
        assertThat(client.send(Server.ping(), executor).get(60, TimeUnit.SECONDS))
                .isEqualTo("PONG");
    }

    @Test
    void readerCallsTheExecutor() throws Exception {
        Executor executor = recording(loop);
        try (RedisClient client = connect()) {
            CompletableFuture<String> thread = new CompletableFuture<>();
            client.send(Server.ping(), executor)
                    .whenComplete((value, failure) ->
                            thread.complete(Thread.currentThread().getName()));

            assertThat(thread.get(60, TimeUnit.SECONDS))
                    .isIn("loop", Thread.currentThread().getName());
            assertThat(callers).singleElement().asString().startsWith("millrace-reader");
        }
    }

    @Test
    void executorThatThrowsDoesNotEndTheConnection() throws Exception {
        Executor throwing = recording(task -> {
            throw new RejectedExecutionException("shut down");
        });
        try (RedisClient client = connect()) {
            for (int i = 0; i < 20; i++) {
                ping(client, throwing);
            }

            assertThat(client.stats().reconnections()).isZero();
            assertThat(client.counts().ok()).isEqualTo(20);
        }
    }

    @Test
    void executorThatRunsItsTasksItselfRunsNoCallbackOnTheReader() throws Exception {
        Executor direct = recording(Runnable::run);
        CountDownLatch release = new CountDownLatch(1);
        try (RedisClient client = connect()) {
            List<CompletableFuture<Boolean>> blocked = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                blocked.add(client.send(Server.ping(), direct).thenApplyAsync(reply -> true, Runnable::run));
            }
            CompletableFuture<Boolean> last = client.send(Server.ping(), direct).thenApply(reply -> await(release));
            Eventually.await("all commands are answered", () -> client.counts().ok() == 11);
            ping(client, loop);
            release.countDown();

            for (CompletableFuture<Boolean> callback : blocked) {
                assertThat(callback.get(60, TimeUnit.SECONDS)).isTrue();
            }
            assertThat(last.get(60, TimeUnit.SECONDS)).isTrue();
            assertThat(callers).allMatch(name -> name.startsWith("millrace-reader"));
            assertThat(client.stats().reconnections()).isZero();
        }
    }

    private static boolean await(CountDownLatch release) {
        try {
            return release.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            return false;
        }
    }

    @Test
    void executorThatBlocksIsCalledByAReaderOnlyOnce() throws Exception {
        Executor blocking = recording(task -> {
            for (long end = System.nanoTime() + 150_000_000; System.nanoTime() - end < 0; ) {
                LockSupport.parkNanos(end - System.nanoTime());
            }
            loop.execute(task);
        });
        try (RedisClient client = connect()) {
            for (int i = 0; i < 5; i++) {
                ping(client, blocking);
            }

            assertThat(callers.getFirst()).startsWith("millrace-reader");
            assertThat(callers.subList(1, 5)).containsOnly("millrace-dispatcher");
            assertThat(log.warnings())
                    .singleElement()
                    .asString()
                    .contains("executors are now called on virtual threads");
            assertThat(client.counts().ok()).isEqualTo(5);
        }
    }

    @Test
    void twoObjectsWithTheSameExecutorCountAsOne() {
        List<Integer> order = new CopyOnWriteArrayList<>();
        List<Runnable> tasks = new CopyOnWriteArrayList<>();
        Executor executor = tasks::add;
        try (FakeRedis silent = FakeRedis.start(Handler.afterHandshake(command -> Answer.noReply()));
                RedisClient client = clients.connect(WatchedClients.uri(silent), options -> options.connections(8))) {
            for (int i = 0; i < 20; i++) {
                int number = i;
                client.send(Server.ping(), new NonBlockingExecutor(executor)).thenRun(() -> order.add(number));
            }
            int connection =
                    silent.awaitCommands(20, WatchedClients.TIMEOUT).getLast().connection();
            silent.send(connection, Answer.reply("+PONG\r\n".repeat(20)));
            Eventually.await("the task arrives", () -> !tasks.isEmpty());

            tasks.forEach(Runnable::run);

            assertThat(tasks).hasSize(1);
            assertThat(order).hasSize(20).isSorted();
        }
    }
}
