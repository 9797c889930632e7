// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static io.millrace.queue.TestTasks.DRAIN;
import static io.millrace.queue.TestTasks.LEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Replies;
import io.millrace.client.command.StreamEntry;
import io.millrace.client.command.Streams;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.tasks.OnStop;
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

/** Queues in streams with consumer groups. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class StreamQueueTest {

    private static final String GROUP = "mills";
    private static final Duration SHORT = Duration.ofMillis(50);

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    private final StreamQueue<String> queue = StreamQueue.of("feeds", FieldsCodec.of("task", Codec.text()));

    @Test
    void everyTaskIsDeliveredOnceInOrderAndAcknowledged() {
        RedisClient client = REDIS.client();
        TestTasks.push(queue.sink(client), TestTasks.tasks(5_000));
        List<String> done = new ArrayList<>();
        QueueSource<String> source = queue.source(client, GROUP, DRAIN);

        TaskFlowReport<?> report = TaskFlow.from(source).consumers(1).run(delivery -> done.add(delivery.task()));

        assertThat(done).isEqualTo(TestTasks.tasks(5_000));
        assertThat(TestTasks.agree(source.stats(), report.counts()))
                .as("%s, %s", source.stats(), report.counts())
                .isTrue();
        assertThat(source.stats().acknowledged()).isEqualTo(5_000);
        assertThat(pending(client)).isZero();
        assertThat(consumers(client)).isEmpty();
    }

    @Test
    void eachConsumerGroupReceivesEveryTask() {
        RedisClient client = REDIS.client();
        TestTasks.push(queue.sink(client), TestTasks.tasks(300));

        TaskFlowReport<?> one = TestTasks.drain(queue.source(client, "one", DRAIN));
        TaskFlowReport<?> other = TestTasks.drain(queue.source(client, "other", DRAIN));

        assertThat(one.counts().succeeded()).isEqualTo(300);
        assertThat(other.counts().succeeded()).isEqualTo(300);
    }

    @Test
    void newGroupCanSkipExistingEntries() {
        RedisClient client = REDIS.client();
        TestTasks.push(queue.sink(client), TestTasks.tasks(10));

        TaskFlowReport<?> report = TestTasks.drain(queue.newGroupsFrom("$").source(client, GROUP, DRAIN));

        assertThat(report.counts().produced()).isZero();
    }

    @Test
    void fieldsOfATaskAreDeliveredUnchanged() {
        RedisClient client = REDIS.client();
        StreamQueue<Map<String, String>> orders = StreamQueue.of("orders", FieldsCodec.TEXT);
        Map<String, String> order = Map.of("id", "7", "name", "Łódź");
        orders.sink(client).accept(order);
        List<Map<String, String>> seen = new ArrayList<>();

        TaskFlowReport<?> unused = TaskFlow.from(orders.source(client, GROUP, DRAIN))
                .consumers(1)
                .run(delivery -> seen.add(delivery.task()));

        assertThat(seen).containsExactly(order);
    }

    @Test
    void failedTaskIsClaimedAgainAfterTheLease() {
        RedisClient client = REDIS.client();
        TestTasks.push(queue.sink(client), TestTasks.tasks(10));
        Map<String, List<Integer>> numbers = new ConcurrentHashMap<>();
        QueueSource<String> source = queue.source(client, GROUP, DRAIN);
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
        assertThat(numbers.get(source.stats().redeliveredIds().getFirst())).containsExactly(1, 2);
        assertThat(source.stats().redelivered()).isEqualTo(1);
        assertThat(source.stats().returned()).isEqualTo(report.counts().failed());
        assertThat(source.stats().acknowledged()).isEqualTo(10);
    }

    @Test
    void taskThatAlwaysFailsIsDeadLetteredWithItsReason() {
        RedisClient client = REDIS.client();
        TestTasks.push(queue.sink(client), TestTasks.tasks(5));
        QueueSource<String> source = queue.source(client, GROUP, DRAIN.maxDeliveries(2));

        TaskFlowReport<?> report = TaskFlow.from(source).continueOnFailure().run(delivery -> {
            if (delivery.task().equals("t2")) {
                throw new IllegalStateException("poison\nin two lines");
            }
        });

        assertThat(report.counts().failed()).isEqualTo(2);
        assertThat(pending(client)).isZero();
        List<StreamEntry<String>> dead = client.call(Streams.range(queue.deadLetters(), "-", "+", 10));
        assertThat(dead).singleElement().satisfies(entry -> {
            assertThat(entry.fields()).containsEntry("task", "t2").containsEntry("millrace-deliveries", "2");
            assertThat(entry.fields()).containsEntry("millrace-group", GROUP);
            assertThat(entry.fields().get("millrace-reason")).contains("poison in two lines");
            assertThat(source.stats().deadLetters().getFirst().id())
                    .isEqualTo(entry.fields().get("millrace-id"));
        });
    }

    @Test
    void taskWhoseConsumersDieIsDeadLetteredByTheNextConsumer() {
        RedisClient client = REDIS.client();
        TestTasks.push(queue.sink(client), TestTasks.tasks(3));
        ConsumerOptions twice = DRAIN.maxDeliveries(2).retryTimeout(SHORT);
        for (int i = 0; i < 2; i++) {
            RedisServerExtension.BreakableConnection line = REDIS.breakableClient();
            QueueSource<String> dies = queue.source(line.client(), GROUP, twice);
            assertThat(dies.next()).hasSize(3);
            line.disconnect();
            assertThat(catchThrowable(dies::close)).isNotNull();
        }
        QueueSource<String> source = queue.source(client, GROUP, twice);

        TaskFlowReport<?> report = TestTasks.drain(source);

        assertThat(report.counts().produced()).isZero();
        assertThat(source.stats().rejected()).isEqualTo(3);
        assertThat(source.stats().deadLetters()).hasSize(3).allMatch(letter -> letter.deliveries() == 2);
        assertThat(client.call(Streams.size(queue.deadLetters()))).isEqualTo(3);
    }

    @Test
    void taskThatCannotBeDecodedIsDeadLetteredAndCounted() {
        RedisClient client = REDIS.client();
        client.call(Streams.add("feeds", Map.of("other", "field")));
        TestTasks.push(queue.sink(client), TestTasks.tasks(2));
        QueueSource<String> source = queue.source(client, GROUP, DRAIN);

        TaskFlowReport<?> report = TestTasks.drain(source);

        assertThat(report.counts().succeeded()).isEqualTo(2);
        assertThat(source.stats().rejected()).isEqualTo(1);
        assertThat(client.call(Streams.range(queue.deadLetters(), "-", "+", 10)))
                .singleElement()
                .satisfies(entry -> assertThat(entry.fields()).containsEntry("other", "field"));
    }

    @Test
    void tasksOfADeadConsumerAreClaimedByAnotherConsumer() {
        RedisServerExtension.BreakableConnection line = REDIS.breakableClient();
        RedisClient client = REDIS.client();
        TestTasks.push(queue.sink(client), TestTasks.tasks(30));
        QueueSource<String> dead =
                queue.source(line.client(), GROUP, DRAIN.batch(20).retryTimeout(SHORT));
        List<String> ids = dead.next().stream().map(Delivery::id).toList();
        line.disconnect();
        QueueSource<String> source = queue.source(client, GROUP, DRAIN);

        TaskFlowReport<?> report = TestTasks.drain(source);

        assertThat(report.counts().succeeded()).isEqualTo(30);
        assertThat(source.stats().redeliveredIds()).isEqualTo(ids);
        assertThat(consumers(client)).isEmpty();
        assertThat(catchThrowable(dead::close)).isNotNull();
    }

    @Test
    void newConsumerReceivesPendingTasksOfAnEarlierConsumerOfTheSameNameImmediately() {
        RedisServerExtension.BreakableConnection line = REDIS.breakableClient();
        RedisClient client = REDIS.client();
        TestTasks.push(queue.sink(client), TestTasks.tasks(250));
        ConsumerOptions named = ConsumerOptions.DEFAULT.consumer("mill-1").endingWhenEmpty();
        QueueSource<String> before =
                queue.source(line.client(), GROUP, named.batch(250).retryTimeout(SHORT));
        List<String> ids = before.next().stream().map(Delivery::id).toList();
        line.disconnect();
        QueueSource<String> after = queue.source(client, GROUP, named);

        TaskFlowReport<?> report = TestTasks.drain(after);

        assertThat(report.counts().succeeded()).isEqualTo(250);
        assertThat(after.stats().redeliveredIds()).isEqualTo(ids);
        assertThat(catchThrowable(before::close)).isNotNull();
    }

    @Test
    void concurrentConsumersClaimEachTaskOnce() {
        RedisServerExtension.BreakableConnection line = REDIS.breakableClient();
        RedisClient client = REDIS.client();
        TestTasks.push(queue.sink(client), TestTasks.tasks(500));
        QueueSource<String> dead =
                queue.source(line.client(), GROUP, DRAIN.batch(500).retryTimeout(SHORT));
        assertThat(dead.next()).hasSize(500);
        line.disconnect();
        Map<String, Integer> effects = new ConcurrentHashMap<>();

        List<RunningTaskFlow<Delivery<String>>> flows = IntStream.range(0, 4)
                .mapToObj(i -> TaskFlow.from(queue.source(REDIS.client(), GROUP, DRAIN.batch(20)))
                        .start(delivery -> effects.merge(delivery.task(), delivery.number(), Integer::sum)))
                .toList();
        flows.forEach(flow -> assertThat(flow.await().counts().failed()).isZero());

        assertThat(effects).hasSize(500);
        assertThat(effects.values()).containsOnly(2);
        assertThat(catchThrowable(dead::close)).isNotNull();
    }

    @Test
    void longTaskStaysPendingWhileItsConsumerLives() {
        RedisClient client = REDIS.client();
        TestTasks.push(queue.sink(client), TestTasks.tasks(1));
        CountDownLatch mayEnd = new CountDownLatch(1);
        QueueSource<String> slow = queue.source(client, GROUP, DRAIN);
        RunningTaskFlow<Delivery<String>> working = TaskFlow.from(slow).start(delivery -> mayEnd.await());
        QueueSource<String> other = queue.source(REDIS.client(), GROUP, DRAIN);
        RunningTaskFlow<Delivery<String>> polling = TaskFlow.from(other).start(delivery -> mayEnd.await());
        long start = System.nanoTime();
        Eventually.holds("three leases have passed", () -> System.nanoTime() - start > 3 * LEASE.toNanos());
        mayEnd.countDown();

        long done =
                working.await().counts().succeeded() + polling.await().counts().succeeded();

        assertThat(done).isEqualTo(1);
        assertThat(slow.stats().redelivered() + other.stats().redelivered()).isZero();
    }

    @Test
    void cancelledTaskIsDeliveredAgainAndItsDeliveryCountsOnlyIfTheTaskStarted() {
        RedisClient client = REDIS.client();
        TestTasks.push(queue.sink(client), TestTasks.tasks(100));
        CountDownLatch started = new CountDownLatch(1);
        QueueSource<String> source = queue.source(client, GROUP, ConsumerOptions.DEFAULT.batch(40));
        RunningTaskFlow<Delivery<String>> flow = TaskFlow.from(source)
                .consumers(1)
                .buffer(40)
                .start(delivery -> {
                    started.countDown();
                    new CountDownLatch(1).await();
                });
        Eventually.holds(
                "one task has started and more are fetched", () -> started.getCount() == 0 && pending(client) >= 40);

        flow.cancel(OnStop.DROP);
        TaskFlowReport<?> report = flow.await();
        List<Delivery<String>> seen = new ArrayList<>();
        TaskFlowReport<?> unused = TaskFlow.from(queue.source(client, GROUP, ConsumerOptions.DEFAULT.endingWhenEmpty()))
                .consumers(1)
                .run(seen::add);

        assertThat(source.stats().returned()).isEqualTo(report.counts().cancelled());
        assertThat(seen).extracting(Delivery::task).isEqualTo(TestTasks.tasks(100));
        assertThat(seen.getFirst().number()).isEqualTo(2);
        assertThat(seen.subList(1, 100)).allMatch(delivery -> delivery.number() == 1);
    }

    @Test
    void waitingSourceReceivesLaterTasksAndCancellingTheFlowEndsTheWait() {
        assertThat(cancelWaitingFlow()).isPositive();
    }

    @Test
    @Tag("soak")
    void cancellingTheFlowEndsTheWaitOfItsSourceWithinASecondOnAnIdleMachine() {
        // One wait of the source lasts one second. A shorter time shows that the cancel ended the wait.
        assertThat(cancelWaitingFlow()).isLessThan(900_000_000L);
    }

    /** Cancels a flow that waits for more tasks. Returns the nanoseconds until its end. */
    private long cancelWaitingFlow() {
        RedisClient client = REDIS.client();
        List<String> done = Collections.synchronizedList(new ArrayList<>());
        QueueSource<String> source = queue.source(client, GROUP, ConsumerOptions.DEFAULT);
        RunningTaskFlow<Delivery<String>> flow = TaskFlow.from(source).start(delivery -> done.add(delivery.task()));
        for (String task : TestTasks.tasks(20)) {
            queue.sink(client).accept(task);
            Eventually.holds(task + " is done", () -> done.contains(task));
        }
        Eventually.holds(
                "the source waits",
                () -> client.call(Command.of("INFO", "clients").as(Replies::text))
                        .contains("blocked_clients:1"));
        long start = System.nanoTime();

        flow.cancel(OnStop.DRAIN);
        TaskFlowReport<?> report = flow.await();

        long nanos = System.nanoTime() - start;
        assertThat(report.counts().succeeded()).isEqualTo(20);
        assertThat(report.sourceFailures()).isEmpty();
        assertThat(pending(client)).isZero();
        return nanos;
    }

    @Test
    void deletedGroupIsCreatedAgain() {
        RedisClient client = REDIS.client();
        List<String> done = Collections.synchronizedList(new ArrayList<>());
        QueueSource<String> source = queue.source(client, GROUP, ConsumerOptions.DEFAULT.lease(LEASE));
        RunningTaskFlow<Delivery<String>> flow = TaskFlow.from(source).start(delivery -> done.add(delivery.task()));
        queue.sink(client).accept("before");
        Eventually.holds("the first task is acknowledged", () -> source.stats().acknowledged() == 1);
        client.call(Keys.delete("feeds"));
        queue.sink(client).accept("after");
        Eventually.holds("the second task is done", () -> done.contains("after"));

        Eventually.holds(
                "the source waits",
                () -> client.call(Command.of("INFO", "clients").as(Replies::text))
                        .contains("blocked_clients:1"));
        client.call(Keys.delete("feeds"));
        queue.sink(client).accept("at last");

        Eventually.holds("the third task is done", () -> done.contains("at last"));
        flow.cancel(OnStop.DRAIN);
        assertThat(flow.await().counts().succeeded()).isEqualTo(3);
    }

    @Test
    void deletedEntryIsCountedAsMissingAndDoesNotBlockOtherEntries() {
        RedisServerExtension.BreakableConnection line = REDIS.breakableClient();
        RedisClient client = REDIS.client();
        TestTasks.push(queue.sink(client), TestTasks.tasks(3));
        QueueSource<String> dead = queue.source(line.client(), GROUP, DRAIN.retryTimeout(SHORT));
        List<Delivery<String>> had = dead.next();
        line.disconnect();
        client.call(Streams.delete("feeds", had.get(1).id()));
        QueueSource<String> source = queue.source(client, GROUP, DRAIN);

        TaskFlowReport<?> report = TestTasks.drain(source);

        assertThat(report.counts().succeeded()).isEqualTo(2);
        assertThat(source.stats().missing()).isEqualTo(1);
        assertThat(catchThrowable(dead::close)).isNotNull();
    }

    private static long pending(RedisClient client) {
        try {
            return Replies.integer(Replies.items(client.call(Command.of("XPENDING", "feeds", GROUP)))
                    .getFirst());
        } catch (ErrorReplyException e) { // the group does not exist yet
            return 0;
        }
    }

    private static List<?> consumers(RedisClient client) {
        return Replies.items(client.call(Command.of("XINFO CONSUMERS", "feeds", GROUP)));
    }
}
