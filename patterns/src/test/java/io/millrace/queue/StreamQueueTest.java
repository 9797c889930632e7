// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static io.millrace.queue.Work.DRAIN;
import static io.millrace.queue.Work.LEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.millrace.client.Command;
import io.millrace.client.ErrorReplyException;
import io.millrace.client.Keys;
import io.millrace.client.RedisClient;
import io.millrace.client.Replies;
import io.millrace.client.StreamEntry;
import io.millrace.client.Streams;
import io.millrace.tasks.Flow;
import io.millrace.tasks.FlowReport;
import io.millrace.tasks.OnStop;
import io.millrace.tasks.RunningFlow;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A queue that is a stream with groups of consumers. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class StreamQueueTest {

    private static final String GROUP = "mills";
    private static final Duration SHORT = Duration.ofMillis(50);

    @RegisterExtension
    static final Redis REDIS = new Redis();

    private final StreamQueue<String> queue = StreamQueue.of("feeds", FieldsCodec.of("task", TaskCodec.TEXT));

    @Test
    void everyTaskIsDeliveredOnceInItsOrderAndAcknowledged() {
        RedisClient client = REDIS.client();
        Work.push(queue.sink(client), Work.tasks(5_000));
        List<String> done = new ArrayList<>();
        QueueSource<String> source = queue.source(client, GROUP, DRAIN);

        FlowReport<?> report = Flow.from(source).consumers(1).run(delivery -> done.add(delivery.task()));

        assertThat(done).isEqualTo(Work.tasks(5_000));
        assertThat(Work.agree(source.account(), report.counts()))
                .as("%s, %s", source.account(), report.counts())
                .isTrue();
        assertThat(source.account().acknowledged()).isEqualTo(5_000);
        assertThat(pending(client)).isZero();
        assertThat(consumers(client)).isEmpty();
    }

    @Test
    void eachGroupIsGivenEveryTask() {
        RedisClient client = REDIS.client();
        Work.push(queue.sink(client), Work.tasks(300));

        FlowReport<?> one = Work.drain(queue.source(client, "one", DRAIN));
        FlowReport<?> other = Work.drain(queue.source(client, "other", DRAIN));

        assertThat(one.counts().succeeded()).isEqualTo(300);
        assertThat(other.counts().succeeded()).isEqualTo(300);
    }

    @Test
    void groupMayBeginWithWhatComesAfterIt() {
        RedisClient client = REDIS.client();
        Work.push(queue.sink(client), Work.tasks(10));

        FlowReport<?> report = Work.drain(queue.groupsFrom("$").source(client, GROUP, DRAIN));

        assertThat(report.counts().produced()).isZero();
    }

    @Test
    void fieldsComeBackAsTheyWere() {
        RedisClient client = REDIS.client();
        StreamQueue<Map<String, String>> orders = StreamQueue.of("orders", FieldsCodec.TEXT);
        Map<String, String> order = Map.of("id", "7", "name", "Łódź");
        orders.sink(client).accept(order);
        List<Map<String, String>> seen = new ArrayList<>();

        FlowReport<?> unused =
                Flow.from(orders.source(client, GROUP, DRAIN)).consumers(1).run(delivery -> seen.add(delivery.task()));

        assertThat(seen).containsExactly(order);
    }

    @Test
    void taskThatFailedIsClaimedAgainAfterTheLease() {
        RedisClient client = REDIS.client();
        Work.push(queue.sink(client), Work.tasks(10));
        Map<String, List<Integer>> numbers = new ConcurrentHashMap<>();
        QueueSource<String> source = queue.source(client, GROUP, DRAIN);
        long begun = System.nanoTime();

        FlowReport<?> report = Flow.from(source).consumers(2).carryOn().run(delivery -> {
            numbers.computeIfAbsent(delivery.id(), id -> new ArrayList<>()).add(delivery.number());
            if (delivery.task().equals("t3") && !delivery.isRepeated()) {
                throw new IllegalStateException("not yet");
            }
        });

        assertThat(System.nanoTime() - begun).isGreaterThan(LEASE.toNanos());
        assertThat(numbers).hasSize(10);
        assertThat(numbers.get(source.account().redeliveredIds().getFirst())).containsExactly(1, 2);
        assertThat(source.account().redelivered()).isEqualTo(1);
        assertThat(source.account().returned()).isEqualTo(report.counts().failed());
        assertThat(source.account().acknowledged()).isEqualTo(10);
    }

    @Test
    void taskThatAlwaysFailsIsPutAsideWithItsReason() {
        RedisClient client = REDIS.client();
        Work.push(queue.sink(client), Work.tasks(5));
        QueueSource<String> source = queue.source(client, GROUP, DRAIN.maxDeliveries(2));

        FlowReport<?> report = Flow.from(source).carryOn().run(delivery -> {
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
            assertThat(source.account().deadLetters().getFirst().id())
                    .isEqualTo(entry.fields().get("millrace-id"));
        });
    }

    @Test
    void taskThatEndsItsConsumersIsPutAsideByTheNext() {
        RedisClient client = REDIS.client();
        Work.push(queue.sink(client), Work.tasks(3));
        ConsumerOptions twice = DRAIN.maxDeliveries(2).patience(SHORT);
        for (int i = 0; i < 2; i++) {
            Redis.Line line = REDIS.line();
            QueueSource<String> dies = queue.source(line.client(), GROUP, twice);
            assertThat(dies.next()).hasSize(3);
            line.cut();
            assertThat(catchThrowable(dies::close)).isNotNull();
        }
        QueueSource<String> source = queue.source(client, GROUP, twice);

        FlowReport<?> report = Work.drain(source);

        assertThat(report.counts().produced()).isZero();
        assertThat(source.account().rejected()).isEqualTo(3);
        assertThat(source.account().deadLetters()).hasSize(3).allMatch(letter -> letter.deliveries() == 2);
        assertThat(client.call(Streams.size(queue.deadLetters()))).isEqualTo(3);
    }

    @Test
    void taskThatCannotBeDecodedIsPutAsideAndCounted() {
        RedisClient client = REDIS.client();
        client.call(Streams.add("feeds", Map.of("other", "field")));
        Work.push(queue.sink(client), Work.tasks(2));
        QueueSource<String> source = queue.source(client, GROUP, DRAIN);

        FlowReport<?> report = Work.drain(source);

        assertThat(report.counts().succeeded()).isEqualTo(2);
        assertThat(source.account().rejected()).isEqualTo(1);
        assertThat(client.call(Streams.range(queue.deadLetters(), "-", "+", 10)))
                .singleElement()
                .satisfies(entry -> assertThat(entry.fields()).containsEntry("other", "field"));
    }

    @Test
    void tasksOfAConsumerThatDiedAreClaimed() {
        Redis.Line line = REDIS.line();
        RedisClient client = REDIS.client();
        Work.push(queue.sink(client), Work.tasks(30));
        QueueSource<String> dead =
                queue.source(line.client(), GROUP, DRAIN.batch(20).patience(SHORT));
        List<String> ids = dead.next().stream().map(Delivery::id).toList();
        line.cut();
        QueueSource<String> source = queue.source(client, GROUP, DRAIN);

        FlowReport<?> report = Work.drain(source);

        assertThat(report.counts().succeeded()).isEqualTo(30);
        assertThat(source.account().redeliveredIds()).isEqualTo(ids);
        assertThat(consumers(client)).isEmpty();
        assertThat(catchThrowable(dead::close)).isNotNull();
    }

    @Test
    void whatAConsumerOfTheSameNameHadIsDeliveredAtOnce() {
        Redis.Line line = REDIS.line();
        RedisClient client = REDIS.client();
        Work.push(queue.sink(client), Work.tasks(250));
        ConsumerOptions named = ConsumerOptions.DEFAULT.consumer("mill-1").endingWhenEmpty();
        QueueSource<String> before =
                queue.source(line.client(), GROUP, named.batch(250).patience(SHORT));
        List<String> ids = before.next().stream().map(Delivery::id).toList();
        line.cut();
        QueueSource<String> after = queue.source(client, GROUP, named);

        FlowReport<?> report = Work.drain(after);

        assertThat(report.counts().succeeded()).isEqualTo(250);
        assertThat(after.account().redeliveredIds()).isEqualTo(ids);
        assertThat(catchThrowable(before::close)).isNotNull();
    }

    @Test
    void manyWhoClaimDoubleNothing() {
        Redis.Line line = REDIS.line();
        RedisClient client = REDIS.client();
        Work.push(queue.sink(client), Work.tasks(500));
        QueueSource<String> dead =
                queue.source(line.client(), GROUP, DRAIN.batch(500).patience(SHORT));
        assertThat(dead.next()).hasSize(500);
        line.cut();
        Map<String, Integer> effects = new ConcurrentHashMap<>();

        List<RunningFlow<Delivery<String>>> flows = IntStream.range(0, 4)
                .mapToObj(i -> Flow.from(queue.source(REDIS.client(), GROUP, DRAIN.batch(20)))
                        .start(delivery -> effects.merge(delivery.task(), delivery.number(), Integer::sum)))
                .toList();
        flows.forEach(flow -> assertThat(flow.await().counts().failed()).isZero());

        assertThat(effects).hasSize(500);
        assertThat(effects.values()).containsOnly(2);
        assertThat(catchThrowable(dead::close)).isNotNull();
    }

    @Test
    void longTaskStaysWithItsConsumerWhileThatLives() {
        RedisClient client = REDIS.client();
        Work.push(queue.sink(client), Work.tasks(1));
        CountDownLatch mayEnd = new CountDownLatch(1);
        QueueSource<String> slow = queue.source(client, GROUP, DRAIN);
        RunningFlow<Delivery<String>> working = Flow.from(slow).start(delivery -> mayEnd.await());
        QueueSource<String> other = queue.source(REDIS.client(), GROUP, DRAIN);
        RunningFlow<Delivery<String>> looking = Flow.from(other).start(delivery -> mayEnd.await());
        long begun = System.nanoTime();
        Eventually.holds("three leases have passed", () -> System.nanoTime() - begun > 3 * LEASE.toNanos());
        mayEnd.countDown();

        long done =
                working.await().counts().succeeded() + looking.await().counts().succeeded();

        assertThat(done).isEqualTo(1);
        assertThat(slow.account().redelivered() + other.account().redelivered()).isZero();
    }

    @Test
    void whatWasCancelledIsClaimedAtOnceAndOnlyCountsIfItWasBegun() {
        RedisClient client = REDIS.client();
        Work.push(queue.sink(client), Work.tasks(100));
        CountDownLatch begun = new CountDownLatch(1);
        QueueSource<String> source = queue.source(client, GROUP, ConsumerOptions.DEFAULT.batch(40));
        RunningFlow<Delivery<String>> flow = Flow.from(source)
                .consumers(1)
                .buffer(40)
                .start(delivery -> {
                    begun.countDown();
                    new CountDownLatch(1).await();
                });
        Eventually.holds("one was begun and more are there", () -> begun.getCount() == 0 && pending(client) >= 40);

        flow.cancel(OnStop.DROP);
        FlowReport<?> report = flow.await();
        List<Delivery<String>> seen = new ArrayList<>();
        FlowReport<?> unused = Flow.from(queue.source(client, GROUP, ConsumerOptions.DEFAULT.endingWhenEmpty()))
                .consumers(1)
                .run(seen::add);

        assertThat(source.account().returned()).isEqualTo(report.counts().cancelled());
        assertThat(seen).extracting(Delivery::task).isEqualTo(Work.tasks(100));
        assertThat(seen.getFirst().number()).isEqualTo(2);
        assertThat(seen.subList(1, 100)).allMatch(delivery -> delivery.number() == 1);
    }

    @Test
    void sourceThatWaitsIsGivenWhatIsPushedLaterAndCancelEndsItsWait() {
        RedisClient client = REDIS.client();
        List<String> done = Collections.synchronizedList(new ArrayList<>());
        QueueSource<String> source = queue.source(client, GROUP, ConsumerOptions.DEFAULT);
        RunningFlow<Delivery<String>> flow = Flow.from(source).start(delivery -> done.add(delivery.task()));
        for (String task : Work.tasks(20)) {
            queue.sink(client).accept(task);
            Eventually.holds(task + " is done", () -> done.contains(task));
        }
        Eventually.holds(
                "it waits",
                () -> client.call(Command.of("INFO", "clients").as(Replies::text))
                        .contains("blocked_clients:1"));
        long begun = System.nanoTime();

        flow.cancel(OnStop.DRAIN);
        FlowReport<?> report = flow.await();

        assertThat(System.nanoTime() - begun).isLessThan(900_000_000L);
        assertThat(report.counts().succeeded()).isEqualTo(20);
        assertThat(report.sourceFailures()).isEmpty();
        assertThat(pending(client)).isZero();
    }

    @Test
    void groupThatHasGoneIsMadeAgain() {
        RedisClient client = REDIS.client();
        List<String> done = Collections.synchronizedList(new ArrayList<>());
        QueueSource<String> source = queue.source(client, GROUP, ConsumerOptions.DEFAULT.lease(LEASE));
        RunningFlow<Delivery<String>> flow = Flow.from(source).start(delivery -> done.add(delivery.task()));
        queue.sink(client).accept("before");
        Eventually.holds("it works", () -> source.account().acknowledged() == 1);
        client.call(Keys.delete("feeds"));
        queue.sink(client).accept("after");
        Eventually.holds("it works again", () -> done.contains("after"));

        Eventually.holds(
                "it waits",
                () -> client.call(Command.of("INFO", "clients").as(Replies::text))
                        .contains("blocked_clients:1"));
        client.call(Keys.delete("feeds"));
        queue.sink(client).accept("at last");

        Eventually.holds("it works once more", () -> done.contains("at last"));
        flow.cancel(OnStop.DRAIN);
        assertThat(flow.await().counts().succeeded()).isEqualTo(3);
    }

    @Test
    void deletedEntryIsCountedAndHoldsNobodyUp() {
        Redis.Line line = REDIS.line();
        RedisClient client = REDIS.client();
        Work.push(queue.sink(client), Work.tasks(3));
        QueueSource<String> dead = queue.source(line.client(), GROUP, DRAIN.patience(SHORT));
        List<Delivery<String>> had = dead.next();
        line.cut();
        client.call(Streams.delete("feeds", had.get(1).id()));
        QueueSource<String> source = queue.source(client, GROUP, DRAIN);

        FlowReport<?> report = Work.drain(source);

        assertThat(report.counts().succeeded()).isEqualTo(2);
        assertThat(source.account().vanished()).isEqualTo(1);
        assertThat(catchThrowable(dead::close)).isNotNull();
    }

    private static long pending(RedisClient client) {
        try {
            return Replies.integer(Replies.items(client.call(Command.of("XPENDING", "feeds", GROUP)))
                    .getFirst());
        } catch (ErrorReplyException e) { // there is no group yet
            return 0;
        }
    }

    private static List<?> consumers(RedisClient client) {
        return Replies.items(client.call(Command.of("XINFO CONSUMERS", "feeds", GROUP)));
    }
}
