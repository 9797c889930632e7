// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.command.Server;
import io.millrace.client.exception.RefusedException;
import io.millrace.client.exception.TimedOutException;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests futures that are completed on an executor of the user. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
@SuppressWarnings("FutureReturnValueIgnored") // a test that waits for the effect of the callback
class ExecutorSendTest {

    private static final int LIMIT = 4;

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    private final CountDownLatch replies = new CountDownLatch(1);
    private final FakeRedis server = FakeRedis.start(
            Handler.afterHandshake(command -> Answer.reply("+PONG\r\n").heldUntil(replies)));

    private final CountDownLatch release = new CountDownLatch(1);
    private final ExecutorService loop = Executors.newSingleThreadExecutor(task -> new Thread(task, "loop"));

    @AfterEach
    void close() throws InterruptedException {
        replies.countDown();
        release.countDown();
        loop.shutdownNow();
        assertThat(loop.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        server.close();
    }

    /** Keeps the tasks, so that the test decides when they run. */
    private static final class ManualExecutor implements Executor {

        private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();

        @Override
        public void execute(Runnable task) {
            tasks.add(task);
        }

        int runAll() {
            int ran = 0;
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                task.run();
                ran++;
            }
            return ran;
        }
    }

    private void block() {
        try {
            assertThat(release.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private RedisClient connect(Overflow overflow) {
        return clients.connect(WatchedClients.uri(server), options -> options.overflow(overflow));
    }

    private RedisClient connectLimited() {
        return clients.connect(
                WatchedClients.uri(server),
                options -> options.callbacks(LIMIT).inFlight(2 * LIMIT).overflow(Overflow.REFUSE));
    }

    private static void await(List<? extends CompletableFuture<?>> futures) throws Exception {
        for (CompletableFuture<?> future : futures) {
            future.get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void outcomesOfOneReadGoToEachExecutorInOneTaskAndInOrder() {
        ManualExecutor executor = new ManualExecutor();
        ManualExecutor other = new ManualExecutor();
        List<Integer> order = new ArrayList<>();
        try (FakeRedis silent = FakeRedis.start(Handler.afterHandshake(command -> Answer.noReply()));
                RedisClient client = clients.connect(WatchedClients.uri(silent))) {
            for (int i = 0; i < 50; i++) {
                int number = i;
                client.send(Server.ping(), i % 2 == 0 ? executor : other).thenRun(() -> order.add(number));
            }
            int connection =
                    silent.awaitCommands(50, WatchedClients.TIMEOUT).getLast().connection();

            // One write of the server, so one read of the client.
            silent.send(connection, Answer.reply("+PONG\r\n".repeat(50)));
            Eventually.await("the tasks arrive", () -> !executor.tasks.isEmpty() && !other.tasks.isEmpty());

            assertThat(client.counts().ok()).isEqualTo(50);
            assertThat(client.stats().connections().getFirst().inFlight()).isZero();
            assertThat(order).isEmpty();
            assertThat(executor.runAll()).isOne();
            assertThat(order).hasSize(25).isSorted().allMatch(number -> number % 2 == 0);
            assertThat(other.runAll()).isOne();
            assertThat(order.subList(25, 50)).isSorted();
        }
    }

    @Test
    void callbacksRunOnTheExecutor() throws Exception {
        replies.countDown();
        try (RedisClient client = connect(Overflow.REFUSE)) {
            CompletableFuture<String> ran = new CompletableFuture<>();
            loop.execute(() -> client.send(Server.ping(), loop)
                    .whenComplete((value, failure) ->
                            ran.complete(Thread.currentThread().getName() + value)));

            assertThat(ran.get(60, TimeUnit.SECONDS)).isEqualTo("loopPONG");
        }
    }

    /** The deadline ends while the executor is blocked. The replies have arrived before, so all commands are OK. */
    @Test
    void blockedExecutorMakesNoAnsweredCommandTimeOut() throws Exception {
        try (RedisClient client = connect(Overflow.REFUSE)) {
            List<CompletableFuture<String>> sent = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                sent.add(client.send(Server.ping().within(Duration.ofSeconds(20)), loop));
            }
            loop.execute(this::block);
            replies.countDown();
            Eventually.await("all outcomes are decided", () -> client.counts().ok() == 10);
            assertThat(client.send(Server.ping()).get(60, TimeUnit.SECONDS)).isEqualTo("PONG");
            boolean allWait = sent.stream().noneMatch(CompletableFuture::isDone);
            release.countDown();

            await(sent);
            assertThat(allWait).isTrue();
        }
    }

    @Test
    void executorThatBlocksInExecuteDelaysOnlyItsOwnCommandsAndKeepsTheirOrder() throws Exception {
        replies.countDown();
        List<Integer> order = new ArrayList<>();
        CountDownLatch entered = new CountDownLatch(1);
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Executor blocking = task -> {
            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
            entered.countDown();
            block();
            task.run();
            inside.decrementAndGet();
        };
        try (RedisClient client = connect(Overflow.REFUSE)) {
            List<CompletableFuture<Void>> blocked = new ArrayList<>();
            blocked.add(client.send(Server.ping(), blocking).thenRun(() -> order.add(0)));
            assertThat(entered.await(60, TimeUnit.SECONDS)).isTrue();
            for (int i = 1; i < 20; i++) {
                int number = i;
                blocked.add(client.send(Server.ping(), blocking).thenRun(() -> order.add(number)));
                assertThat(client.send(Server.ping(), loop).get(60, TimeUnit.SECONDS))
                        .isEqualTo("PONG");
            }
            assertThat(blocked).noneMatch(CompletableFuture::isDone);
            release.countDown();

            await(blocked);
            assertThat(order).hasSize(20).isSorted();
            assertThat(most).as("threads in the executor at the same time").hasValue(1);
        }
    }

    @Test
    void futuresAreCompletedEvenIfTheExecutorThrows() throws Exception {
        replies.countDown();
        AtomicInteger calls = new AtomicInteger();
        Executor throwing = task -> {
            if (calls.incrementAndGet() % 2 == 0) {
                task.run();
            }
            throw new RejectedExecutionException("shut down");
        };
        try (RedisClient client = connect(Overflow.REFUSE)) {
            for (int i = 0; i < 20; i++) {
                assertThat(client.send(Server.ping(), throwing).get(60, TimeUnit.SECONDS))
                        .isEqualTo("PONG");
            }
            assertThat(client.send(Server.ping()).get(60, TimeUnit.SECONDS)).isEqualTo("PONG");
        }
    }

    @Test
    void sendIsRefusedWhileTooManyOutcomesWaitForExecutors() throws Exception {
        ManualExecutor executor = new ManualExecutor();
        replies.countDown();
        try (RedisClient client = connectLimited()) {
            List<CompletableFuture<String>> sent = new ArrayList<>();
            for (int i = 0; i < LIMIT; i++) {
                sent.add(client.send(Server.ping(), executor));
                int expected = i + 1;
                Eventually.await("the outcome is decided", () -> client.counts().ok() == expected);
            }
            Eventually.await("the outcomes wait for the executor", () -> executor.tasks.size() == LIMIT);

            assertThatThrownBy(() -> client.send(Server.ping(), executor).get(60, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(RefusedException.class)
                    .hasMessageContaining("phase=waiting for callbacks");
            assertThat(client.call(Server.ping())).isEqualTo("PONG");

            executor.runAll();
            await(sent);
            CompletableFuture<String> next = client.send(Server.ping(), executor);
            Eventually.await("the outcome arrives", () -> executor.runAll() > 0);
            assertThat(next.get(60, TimeUnit.SECONDS)).isEqualTo("PONG");
        }
    }

    @Test
    void callbackMaySendOneCommandAtTheLimit() throws Exception {
        ManualExecutor executor = new ManualExecutor();
        replies.countDown();
        try (RedisClient client = connectLimited()) {
            List<CompletableFuture<CompletableFuture<String>>> chains = new ArrayList<>();
            for (int i = 0; i < LIMIT; i++) {
                chains.add(
                        client.send(Server.ping(), executor).thenApply(reply -> client.send(Server.ping(), executor)));
                int expected = i + 1;
                Eventually.await("the outcome is decided", () -> client.counts().ok() == expected);
            }
            Eventually.await("the outcomes wait for the executor", () -> executor.tasks.size() == LIMIT);

            Eventually.await("all chains end", () -> {
                executor.runAll();
                return chains.stream()
                        .allMatch(chain -> chain.isDone() && chain.join().isDone());
            });
            assertThat(client.counts().refused()).isZero();
        }
    }

    @Test
    void commandsForOneExecutorUseOneConnectionFromAllThreads() throws Exception {
        replies.countDown();
        try (RedisClient client = clients.connect(
                WatchedClients.uri(server), options -> options.connections(8).overflow(Overflow.REFUSE))) {
            for (int i = 0; i < 200; i++) {
                CompletableFuture<String> reply = new CompletableFuture<>();
                Thread thread =
                        new Thread(() -> client.send(Server.ping(), loop).thenAccept(reply::complete));
                thread.start();
                assertThat(reply.get(60, TimeUnit.SECONDS)).isEqualTo("PONG");
                thread.join();
            }

            assertThat(client.stats().connections())
                    .extracting(connection -> connection.counts().submitted())
                    .containsOnlyOnce(200L)
                    .containsOnly(0L, 200L);
        }
    }

    @Test
    void timedOutCommandIsReportedOnTheExecutor() {
        try (RedisClient client = connect(Overflow.REFUSE)) {
            CompletableFuture<String> thread = new CompletableFuture<>();
            CompletableFuture<String> sent = client.send(Server.ping().within(Duration.ofMillis(20)), loop)
                    .whenComplete((value, failure) ->
                            thread.complete(Thread.currentThread().getName()));

            assertThatThrownBy(() -> sent.get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(TimedOutException.class);
            assertThat(thread.join()).isEqualTo("loop");
            replies.countDown();
        }
    }

    @Test
    void refusedCommandIsCompletedAtOnce() {
        try (RedisClient client = clients.connect(
                WatchedClients.uri(server), options -> options.inFlight(1).overflow(Overflow.REFUSE))) {
            CompletableFuture<String> first = client.send(Server.ping(), loop);
            CompletableFuture<String> second = client.send(Server.ping(), loop);

            assertThat(second).isCompletedExceptionally();
            replies.countDown();
            assertThat(first.join()).isEqualTo("PONG");
        }
    }
}
