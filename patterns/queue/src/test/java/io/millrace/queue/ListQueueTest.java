// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static io.millrace.queue.TestTasks.DRAIN;
import static io.millrace.queue.TestTasks.LEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Server;
import io.millrace.tasks.Batching;
import io.millrace.tasks.OnStop;
import io.millrace.tasks.Outcome;
import io.millrace.tasks.RunningTaskFlow;
import io.millrace.tasks.TaskFlow;
import io.millrace.tasks.TaskFlowReport;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Task queues in Redis lists. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ListQueueTest {

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    private static final Duration SHORT = Duration.ofMillis(50);

    private final ListQueue<String> queue = ListQueue.of("feeds", Codec.text());

    @Test
    void everyTaskIsDeliveredOnceAndNoKeyRemains() {
        RedisClient client = REDIS.client();
        TestTasks.push(queue.sink(client), TestTasks.tasks(5_000));
        List<String> done = Collections.synchronizedList(new ArrayList<>());
        QueueSource<String> source = queue.source(client, DRAIN);

        TaskFlowReport<?> report = TaskFlow.from(source).consumers(8).run(delivery -> done.add(delivery.task()));

        assertThat(done).containsExactlyInAnyOrderElementsOf(TestTasks.tasks(5_000));
        assertThat(source.stats().acknowledged()).isEqualTo(5_000);
        assertThat(source.stats())
                .satisfies(stats -> assertThat(TestTasks.agree(stats, report.counts()))
                        .as("%s, %s", stats, report.counts())
                        .isTrue());
        assertThat(client.call(Server.size())).isZero();
    }

    @Test
    void tasksArriveInTheOrderOfTheirPushes() {
        RedisClient client = REDIS.client();
        TestTasks.push(queue.sink(client), TestTasks.tasks(1_000));
        List<String> done = new ArrayList<>();

        TaskFlowReport<?> unused = TaskFlow.from(queue.source(client, DRAIN.batch(64)))
                .consumers(1)
                .run(delivery -> done.add(delivery.task()));

        assertThat(done).isEqualTo(TestTasks.tasks(1_000));
    }

    @Test
    void equalTasksAreDeliveredSeparately() {
        RedisClient client = REDIS.client();
        TestTasks.push(queue.sink(client), Collections.nCopies(300, "again and again"));
        QueueSource<String> source = queue.source(client, DRAIN.batch(50));

        TaskFlowReport<?> report = TestTasks.drain(source);

        assertThat(report.counts().succeeded()).isEqualTo(300);
        assertThat(source.stats().acknowledged()).isEqualTo(300);
    }

    @Test
    void arbitraryBytesAreDeliveredUnchanged() {
        RedisClient client = REDIS.client();
        ListQueue<byte[]> bytes = ListQueue.of("bytes", Codec.bytes());
        byte[] all = new byte[512];
        IntStream.range(0, all.length).forEach(i -> all[i] = (byte) i);
        bytes.sink(client).accept(all);
        bytes.sink(client).accept(new byte[0]);
        List<byte[]> seen = new ArrayList<>();
        Map<String, Integer> attempts = new ConcurrentHashMap<>();

        TaskFlowReport<?> unused = TaskFlow.from(bytes.source(client, DRAIN))
                .consumers(1)
                .continueOnFailure()
                .run(delivery -> {
                    if (attempts.merge(delivery.id(), 1, Integer::sum) == 1) {
                        throw new IllegalStateException("fails the first time");
                    }
                    seen.add(delivery.task());
                });

        assertThat(seen).containsExactly(all, new byte[0]);
    }

    @Test
    void failedTaskIsDeliveredAgainAfterTheLeaseWithTheSameId() {
        RedisClient client = REDIS.client();
        TestTasks.push(queue.sink(client), TestTasks.tasks(10));
        Map<String, List<Integer>> numbers = new ConcurrentHashMap<>();
        QueueSource<String> source = queue.source(client, DRAIN);
        long start = System.nanoTime();

        TaskFlowReport<?> report = TaskFlow.from(source)
                .consumers(2)
                .continueOnFailure()
                .run(delivery -> {
                    numbers.computeIfAbsent(delivery.id(), id -> new ArrayList<>())
                            .add(delivery.number());
                    if (delivery.task().equals("t3") && !delivery.isRepeated()) {
                        throw new IllegalStateException("not yet");
                    }
                });

        assertThat(System.nanoTime() - start).isGreaterThan(LEASE.toNanos());
        assertThat(numbers).hasSize(10);
        assertThat(source.stats().redeliveredIds()).hasSize(1);
        assertThat(numbers.get(source.stats().redeliveredIds().getFirst())).containsExactly(1, 2);
        assertThat(report.counts().failed()).isEqualTo(1);
        assertThat(source.stats().returned()).isEqualTo(1);
        assertThat(source.stats().acknowledged()).isEqualTo(10);
    }

    @Test
    void taskThatAlwaysFailsIsDeadLettered() {
        RedisClient client = REDIS.client();
        TestTasks.push(queue.sink(client), TestTasks.tasks(5));
        QueueSource<String> source = queue.source(client, DRAIN.maxDeliveries(2));

        TaskFlowReport<?> report = TaskFlow.from(source).continueOnFailure().run(delivery -> {
            if (delivery.task().equals("t2")) {
                throw new IllegalStateException("poison");
            }
        });

        assertThat(client.call(Lists.range(queue.deadLetters(), 0, -1))).containsExactly("t2");
        assertThat(source.stats().deadLetters()).singleElement().satisfies(letter -> {
            assertThat(letter.deliveries()).isEqualTo(2);
            assertThat(letter.reason()).contains("poison");
        });
        assertThat(report.counts().failed()).isEqualTo(2);
        assertThat(source.stats().delivered()).isEqualTo(6);
    }

    @Test
    void taskThatCannotBeDecodedIsDeadLetteredAndCounted() {
        RedisClient client = REDIS.client();
        client.call(Lists.pushLeft("numbers", "1", "two", "3"));
        ListQueue<Integer> numbers = ListQueue.of("numbers", Codec.text(String::valueOf, Integer::valueOf));
        QueueSource<Integer> source = numbers.source(client, DRAIN);

        TaskFlowReport<?> report = TestTasks.drain(source);

        assertThat(report.counts().succeeded()).isEqualTo(2);
        assertThat(client.call(Lists.range(numbers.deadLetters(), 0, -1))).containsExactly("two");
        assertThat(source.stats().rejected()).isEqualTo(1);
        assertThat(source.stats().deadLetters().getFirst().reason()).contains("not decoded");
    }

    @Test
    void tasksOfADeadConsumerAreDeliveredToAnotherConsumerInTheirOrder() {
        RedisServerExtension.BreakableConnection line = REDIS.breakableClient();
        RedisClient client = REDIS.client();
        TestTasks.push(queue.sink(client), TestTasks.tasks(30));
        QueueSource<String> dead = queue.source(line.client(), DRAIN.batch(20).retryTimeout(SHORT));
        List<String> ids = dead.next().stream().map(Delivery::id).toList();
        line.disconnect();
        List<String> done = new ArrayList<>();
        QueueSource<String> source = queue.source(client, DRAIN);

        TaskFlowReport<?> unused = TaskFlow.from(source).consumers(1).run(delivery -> done.add(delivery.task()));

        assertThat(done.subList(0, 10)).isEqualTo(TestTasks.tasks(30).subList(20, 30));
        assertThat(done.subList(10, 30)).isEqualTo(TestTasks.tasks(20));
        assertThat(source.stats().redeliveredIds()).isEqualTo(ids);
        assertThat(catchThrowable(dead::close)).isNotNull();
    }

    @Test
    void newConsumerReceivesPendingTasksOfAnEarlierConsumerOfTheSameNameImmediately() throws Exception {
        RedisServerExtension.BreakableConnection line = REDIS.breakableClient();
        RedisClient client = REDIS.client();
        TestTasks.push(queue.sink(client), TestTasks.tasks(10));
        ConsumerOptions named = ConsumerOptions.DEFAULT.consumer("mill-1").endingWhenEmpty();
        QueueSource<String> before = queue.source(line.client(), named.retryTimeout(SHORT));
        List<String> ids = before.next().stream().map(Delivery::id).toList();
        line.disconnect();
        QueueSource<String> after = queue.source(client, named);

        TaskFlowReport<?> report = TestTasks.drain(after);

        assertThat(report.counts().succeeded()).isEqualTo(10);
        assertThat(after.stats().redeliveredIds()).isEqualTo(ids);
        assertThat(catchThrowable(before::close)).isNotNull();
    }

    @Test
    void concurrentConsumersTakeOverEachTaskOfADeadConsumerOnce() {
        RedisServerExtension.BreakableConnection line = REDIS.breakableClient();
        RedisClient client = REDIS.client();
        TestTasks.push(queue.sink(client), TestTasks.tasks(500));
        QueueSource<String> dead = queue.source(line.client(), DRAIN.batch(500).retryTimeout(SHORT));
        assertThat(dead.next()).hasSize(500);
        line.disconnect();
        Map<String, Integer> effects = new ConcurrentHashMap<>();

        List<RunningTaskFlow<Delivery<String>>> flows = IntStream.range(0, 4)
                .mapToObj(i -> TaskFlow.from(queue.source(REDIS.client(), DRAIN.batch(20)))
                        .start(delivery -> effects.merge(delivery.task(), delivery.number(), Integer::sum)))
                .toList();
        flows.forEach(flow -> assertThat(flow.await().counts().failed()).isZero());

        assertThat(effects).hasSize(500).containsValue(2);
        assertThat(effects.values()).containsOnly(2);
        assertThat(catchThrowable(dead::close)).isNotNull();
    }

    @Test
    void taskStaysPendingWhileItsLiveConsumerFetchesNoFurtherTasks() throws Exception {
        RedisClient client = REDIS.client();
        TestTasks.push(queue.sink(client), TestTasks.tasks(1));
        QueueSource<String> slow = queue.source(client, DRAIN);
        Delivery<String> delivery = slow.next().getFirst();
        QueueSource<String> other = queue.source(REDIS.client(), DRAIN);
        RunningTaskFlow<Delivery<String>> polling = TaskFlow.from(other).start(taken -> {});
        long start = System.nanoTime();
        Eventually.holds("three leases have passed", () -> System.nanoTime() - start > 3 * LEASE.toNanos());
        slow.settled(new Outcome.Succeeded<>(delivery, 1, "done"));
        slow.close();

        assertThat(polling.await().counts().produced()).isZero();
        assertThat(slow.stats().acknowledged()).isEqualTo(1);
    }

    @Test
    void tasksThatNeverStartedReturnToTheListInOrderWhenTheFlowIsCancelled() {
        RedisClient client = REDIS.client();
        TestTasks.push(queue.sink(client), TestTasks.tasks(100));
        CountDownLatch started = new CountDownLatch(1);
        QueueSource<String> source = queue.source(client, ConsumerOptions.DEFAULT.batch(40));
        RunningTaskFlow<Delivery<String>> flow = TaskFlow.from(source)
                .consumers(1)
                .buffer(40)
                .start(delivery -> {
                    started.countDown();
                    new CountDownLatch(1).await();
                });
        Eventually.holds(
                "one task has started and more are fetched",
                () -> started.getCount() == 0 && client.call(Lists.size("feeds")) <= 60);

        flow.cancel(OnStop.DROP);
        TaskFlowReport<?> report = flow.await();

        assertThat(report.sourceFailures()).isEmpty();
        assertThat(client.call(Lists.range("feeds", 0, -1)).reversed())
                .isEqualTo(TestTasks.tasks(100).subList(1, 100));
        assertThat(source.stats().returned()).isEqualTo(report.counts().cancelled());
        List<Delivery<String>> next = deliveriesOf(client);
        assertThat(next.getFirst().task()).isEqualTo("t0");
        assertThat(next.getFirst().number()).isEqualTo(2);
        assertThat(next.subList(1, 100)).allMatch(delivery -> delivery.number() == 1);
    }

    private List<Delivery<String>> deliveriesOf(RedisClient client) {
        List<Delivery<String>> seen = new ArrayList<>();
        TaskFlowReport<?> unused =
                TaskFlow.from(queue.source(client, DRAIN)).consumers(1).run(seen::add);
        return seen;
    }

    @Test
    void taskSettledAfterTheSourceIsClosedIsCountedAsNoLongerPending() throws Exception {
        RedisClient client = REDIS.client();
        TestTasks.push(queue.sink(client), TestTasks.tasks(1));
        QueueSource<String> source = queue.source(client, DRAIN);
        Delivery<String> delivery = source.next().getFirst();
        source.close();

        source.settled(new Outcome.Succeeded<>(delivery, 1, "done"));

        assertThat(source.stats().noLongerPending()).isEqualTo(1);
        assertThat(source.stats().pending()).isZero();
        assertThat(TestTasks.drain(queue.source(client, DRAIN)).counts().succeeded())
                .isEqualTo(1);
    }

    @Test
    void cancellingTheFlowEndsTheWaitOfItsSource() {
        assertThat(cancelWaitingFlow()).isPositive();
    }

    @Test
    @Tag("soak")
    void cancellingTheFlowEndsTheWaitOfItsSourceWithinASecondOnAnIdleMachine() {
        // One wait of the source lasts one second. A shorter time shows that the cancel ended the wait.
        assertThat(cancelWaitingFlow()).isLessThan(900_000_000L);
    }

    /** Cancels a flow that waits for tasks. Returns the nanoseconds until its end. */
    private long cancelWaitingFlow() {
        RedisClient client = REDIS.client();
        QueueSource<String> source = queue.source(client, ConsumerOptions.DEFAULT);
        RunningTaskFlow<Delivery<String>> flow = TaskFlow.from(source).start(delivery -> {});
        Eventually.holds(
                "the source waits",
                () -> client.call(Command.of("INFO", "clients").as(Replies::text))
                        .contains("blocked_clients:1"));
        long start = System.nanoTime();

        flow.cancel();
        TaskFlowReport<?> report = flow.await();

        long nanos = System.nanoTime() - start;
        assertThat(report.abandoned()).isZero();
        assertThat(report.sourceFailures()).isEmpty();
        return nanos;
    }

    @Test
    void waitingSourceReceivesTasksThatArePushedLater() throws Exception {
        RedisClient client = REDIS.client();
        List<String> done = Collections.synchronizedList(new ArrayList<>());
        QueueSource<String> source = queue.source(client, ConsumerOptions.DEFAULT);
        RunningTaskFlow<Delivery<String>> flow = TaskFlow.from(source).start(delivery -> done.add(delivery.task()));
        for (String task : TestTasks.tasks(20)) {
            queue.sink(client).accept(task);
            Eventually.holds(task + " is done", () -> done.contains(task));
        }

        flow.cancel(OnStop.DRAIN);

        assertThat(flow.await().counts().succeeded()).isEqualTo(20);
        assertThat(source.stats().acknowledged()).isEqualTo(20);
        assertThat(client.call(Server.size())).isZero();
    }

    @Test
    void waitingDoesNotChangeTheListAndAPushWakesAllWaitingThreads() {
        RedisClient client = REDIS.client();
        List<Thread> waiting = IntStream.range(0, 3)
                .mapToObj(i -> Thread.startVirtualThread(
                        () -> client.call(new ListKeys("feeds").awaitElementCommand(Duration.ofSeconds(20)))))
                .toList();
        Eventually.holds(
                "three threads wait",
                () -> client.call(Command.of("INFO", "clients").as(Replies::text))
                        .contains("blocked_clients:3"));

        client.call(Lists.pushLeft("feeds", "a", "b"));

        waiting.forEach(thread -> Eventually.holds("the thread was woken", () -> !thread.isAlive()));
        assertThat(client.call(Lists.range("feeds", 0, -1))).containsExactly("b", "a");
    }

    @Test
    void tasksOfABatchAreAcknowledgedSeparately() {
        RedisClient client = REDIS.client();
        TestTasks.push(queue.sink(client), TestTasks.tasks(200));
        QueueSource<String> source = queue.source(client, DRAIN.maxDeliveries(1));

        TaskFlowReport<?> report = TaskFlow.from(source)
                .consumers(2)
                .continueOnFailure()
                .batches(Batching.of(10))
                .run(batch -> {
                    for (int i = 0; i < batch.tasks().size(); i++) {
                        if (batch.tasks().get(i).task().endsWith("7")) {
                            batch.fail(i, new IllegalStateException("a seven"));
                        }
                    }
                });

        assertThat(report.counts().succeeded()).isEqualTo(180);
        assertThat(source.stats().acknowledged()).isEqualTo(180);
        assertThat(client.call(Lists.size(queue.deadLetters()))).isEqualTo(20);
    }
}
