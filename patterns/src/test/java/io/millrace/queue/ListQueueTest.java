// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static io.millrace.queue.Work.DRAIN;
import static io.millrace.queue.Work.LEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.millrace.client.Command;
import io.millrace.client.Lists;
import io.millrace.client.RedisClient;
import io.millrace.client.Replies;
import io.millrace.client.Server;
import io.millrace.tasks.Batching;
import io.millrace.tasks.Flow;
import io.millrace.tasks.FlowReport;
import io.millrace.tasks.OnStop;
import io.millrace.tasks.Outcome;
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

/** A queue that is a list, with tasks delivered at least once. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ListQueueTest {

    @RegisterExtension
    static final Redis REDIS = new Redis();

    private static final Duration SHORT = Duration.ofMillis(50);

    private final ListQueue<String> queue = ListQueue.of("feeds", TaskCodec.TEXT);

    @Test
    void everyTaskIsDeliveredOnceAndNothingStaysBehind() {
        RedisClient client = REDIS.client();
        Work.push(queue.sink(client), Work.tasks(5_000));
        List<String> done = Collections.synchronizedList(new ArrayList<>());
        QueueSource<String> source = queue.source(client, DRAIN);

        FlowReport<?> report = Flow.from(source).consumers(8).run(delivery -> done.add(delivery.task()));

        assertThat(done).containsExactlyInAnyOrderElementsOf(Work.tasks(5_000));
        assertThat(source.account().acknowledged()).isEqualTo(5_000);
        assertThat(source.account())
                .satisfies(account -> assertThat(Work.agree(account, report.counts()))
                        .as("%s, %s", account, report.counts())
                        .isTrue());
        assertThat(client.call(Server.size())).isZero();
    }

    @Test
    void tasksComeInTheOrderInWhichTheyWerePushed() {
        RedisClient client = REDIS.client();
        Work.push(queue.sink(client), Work.tasks(1_000));
        List<String> done = new ArrayList<>();

        FlowReport<?> unused = Flow.from(queue.source(client, DRAIN.batch(64)))
                .consumers(1)
                .run(delivery -> done.add(delivery.task()));

        assertThat(done).isEqualTo(Work.tasks(1_000));
    }

    @Test
    void equalTasksAreDeliveredEachByItself() {
        RedisClient client = REDIS.client();
        Work.push(queue.sink(client), Collections.nCopies(300, "again and again"));
        QueueSource<String> source = queue.source(client, DRAIN.batch(50));

        FlowReport<?> report = Work.drain(source);

        assertThat(report.counts().succeeded()).isEqualTo(300);
        assertThat(source.account().acknowledged()).isEqualTo(300);
    }

    @Test
    void bytesOfAnyKindComeBackAsTheyWere() {
        RedisClient client = REDIS.client();
        ListQueue<byte[]> bytes = ListQueue.of("bytes", TaskCodec.BYTES);
        byte[] all = new byte[512];
        IntStream.range(0, all.length).forEach(i -> all[i] = (byte) i);
        bytes.sink(client).accept(all);
        bytes.sink(client).accept(new byte[0]);
        List<byte[]> seen = new ArrayList<>();
        Map<String, Integer> attempts = new ConcurrentHashMap<>();

        FlowReport<?> unused = Flow.from(bytes.source(client, DRAIN))
                .consumers(1)
                .carryOn()
                .run(delivery -> {
                    if (attempts.merge(delivery.id(), 1, Integer::sum) == 1) {
                        throw new IllegalStateException("to see it come back");
                    }
                    seen.add(delivery.task());
                });

        assertThat(seen).containsExactly(all, new byte[0]);
    }

    @Test
    void taskThatFailedComesBackAfterTheLeaseUnderTheSameId() {
        RedisClient client = REDIS.client();
        Work.push(queue.sink(client), Work.tasks(10));
        Map<String, List<Integer>> numbers = new ConcurrentHashMap<>();
        QueueSource<String> source = queue.source(client, DRAIN);
        long begun = System.nanoTime();

        FlowReport<?> report = Flow.from(source).consumers(2).carryOn().run(delivery -> {
            numbers.computeIfAbsent(delivery.id(), id -> new ArrayList<>()).add(delivery.number());
            if (delivery.task().equals("t3") && !delivery.isRepeated()) {
                throw new IllegalStateException("not yet");
            }
        });

        assertThat(System.nanoTime() - begun).isGreaterThan(LEASE.toNanos());
        assertThat(numbers).hasSize(10);
        assertThat(source.account().redeliveredIds()).hasSize(1);
        assertThat(numbers.get(source.account().redeliveredIds().getFirst())).containsExactly(1, 2);
        assertThat(report.counts().failed()).isEqualTo(1);
        assertThat(source.account().returned()).isEqualTo(1);
        assertThat(source.account().acknowledged()).isEqualTo(10);
    }

    @Test
    void taskThatAlwaysFailsIsPutAside() {
        RedisClient client = REDIS.client();
        Work.push(queue.sink(client), Work.tasks(5));
        QueueSource<String> source = queue.source(client, DRAIN.maxDeliveries(2));

        FlowReport<?> report = Flow.from(source).carryOn().run(delivery -> {
            if (delivery.task().equals("t2")) {
                throw new IllegalStateException("poison");
            }
        });

        assertThat(client.call(Lists.range(queue.deadLetters(), 0, -1))).containsExactly("t2");
        assertThat(source.account().deadLetters()).singleElement().satisfies(letter -> {
            assertThat(letter.deliveries()).isEqualTo(2);
            assertThat(letter.reason()).contains("poison");
        });
        assertThat(report.counts().failed()).isEqualTo(2);
        assertThat(source.account().delivered()).isEqualTo(6);
    }

    @Test
    void taskThatCannotBeDecodedIsPutAsideAndCounted() {
        RedisClient client = REDIS.client();
        client.call(Lists.pushLeft("numbers", "1", "two", "3"));
        ListQueue<Integer> numbers = ListQueue.of("numbers", TaskCodec.text(String::valueOf, Integer::valueOf));
        QueueSource<Integer> source = numbers.source(client, DRAIN);

        FlowReport<?> report = Work.drain(source);

        assertThat(report.counts().succeeded()).isEqualTo(2);
        assertThat(client.call(Lists.range(numbers.deadLetters(), 0, -1))).containsExactly("two");
        assertThat(source.account().rejected()).isEqualTo(1);
        assertThat(source.account().deadLetters().getFirst().reason()).contains("not decoded");
    }

    @Test
    void tasksOfAConsumerThatDiedAreDeliveredToAnotherInTheirOrder() {
        Redis.Line line = REDIS.line();
        RedisClient client = REDIS.client();
        Work.push(queue.sink(client), Work.tasks(30));
        QueueSource<String> dead = queue.source(line.client(), DRAIN.batch(20).patience(SHORT));
        List<String> ids = dead.next().stream().map(Delivery::id).toList();
        line.cut();
        List<String> done = new ArrayList<>();
        QueueSource<String> source = queue.source(client, DRAIN);

        FlowReport<?> unused = Flow.from(source).consumers(1).run(delivery -> done.add(delivery.task()));

        assertThat(done.subList(0, 10)).isEqualTo(Work.tasks(30).subList(20, 30));
        assertThat(done.subList(10, 30)).isEqualTo(Work.tasks(20));
        assertThat(source.account().redeliveredIds()).isEqualTo(ids);
        assertThat(catchThrowable(dead::close)).isNotNull();
    }

    @Test
    void whatAConsumerOfTheSameNameHadIsDeliveredAtOnce() throws Exception {
        Redis.Line line = REDIS.line();
        RedisClient client = REDIS.client();
        Work.push(queue.sink(client), Work.tasks(10));
        ConsumerOptions named = ConsumerOptions.DEFAULT.consumer("mill-1").endingWhenEmpty();
        QueueSource<String> before = queue.source(line.client(), named.patience(SHORT));
        List<String> ids = before.next().stream().map(Delivery::id).toList();
        line.cut();
        QueueSource<String> after = queue.source(client, named);

        FlowReport<?> report = Work.drain(after);

        assertThat(report.counts().succeeded()).isEqualTo(10);
        assertThat(after.account().redeliveredIds()).isEqualTo(ids);
        assertThat(catchThrowable(before::close)).isNotNull();
    }

    @Test
    void manyWhoTakeFromTheDeadDoubleNothing() {
        Redis.Line line = REDIS.line();
        RedisClient client = REDIS.client();
        Work.push(queue.sink(client), Work.tasks(500));
        QueueSource<String> dead = queue.source(line.client(), DRAIN.batch(500).patience(SHORT));
        assertThat(dead.next()).hasSize(500);
        line.cut();
        Map<String, Integer> effects = new ConcurrentHashMap<>();

        List<RunningFlow<Delivery<String>>> flows = IntStream.range(0, 4)
                .mapToObj(i -> Flow.from(queue.source(REDIS.client(), DRAIN.batch(20)))
                        .start(delivery -> effects.merge(delivery.task(), delivery.number(), Integer::sum)))
                .toList();
        flows.forEach(flow -> assertThat(flow.await().counts().failed()).isZero());

        assertThat(effects).hasSize(500).containsValue(2);
        assertThat(effects.values()).containsOnly(2);
        assertThat(catchThrowable(dead::close)).isNotNull();
    }

    @Test
    void taskStaysWithItsConsumerWhileThatLivesThoughItFetchesNoMore() throws Exception {
        RedisClient client = REDIS.client();
        Work.push(queue.sink(client), Work.tasks(1));
        QueueSource<String> slow = queue.source(client, DRAIN);
        Delivery<String> delivery = slow.next().getFirst();
        QueueSource<String> other = queue.source(REDIS.client(), DRAIN);
        RunningFlow<Delivery<String>> looking = Flow.from(other).start(taken -> {});
        long begun = System.nanoTime();
        Eventually.holds("three leases have passed", () -> System.nanoTime() - begun > 3 * LEASE.toNanos());
        slow.settled(new Outcome.Succeeded<>(delivery, 1, "done"));
        slow.close();

        assertThat(looking.await().counts().produced()).isZero();
        assertThat(slow.account().acknowledged()).isEqualTo(1);
    }

    @Test
    void whatWasNotBegunGoesBackToTheListInItsOrderWhenTheFlowIsCancelled() {
        RedisClient client = REDIS.client();
        Work.push(queue.sink(client), Work.tasks(100));
        CountDownLatch begun = new CountDownLatch(1);
        QueueSource<String> source = queue.source(client, ConsumerOptions.DEFAULT.batch(40));
        RunningFlow<Delivery<String>> flow = Flow.from(source)
                .consumers(1)
                .buffer(40)
                .start(delivery -> {
                    begun.countDown();
                    new CountDownLatch(1).await();
                });
        Eventually.holds(
                "one was begun and more are there",
                () -> begun.getCount() == 0 && client.call(Lists.size("feeds")) <= 60);

        flow.cancel(OnStop.DROP);
        FlowReport<?> report = flow.await();

        assertThat(report.sourceFailures()).isEmpty();
        assertThat(client.call(Lists.range("feeds", 0, -1)).reversed())
                .isEqualTo(Work.tasks(100).subList(1, 100));
        assertThat(source.account().returned()).isEqualTo(report.counts().cancelled());
        List<Delivery<String>> next = deliveriesOf(client);
        assertThat(next.getFirst().task()).isEqualTo("t0");
        assertThat(next.getFirst().number()).isEqualTo(2);
        assertThat(next.subList(1, 100)).allMatch(delivery -> delivery.number() == 1);
    }

    private List<Delivery<String>> deliveriesOf(RedisClient client) {
        List<Delivery<String>> seen = new ArrayList<>();
        FlowReport<?> unused =
                Flow.from(queue.source(client, DRAIN)).consumers(1).run(seen::add);
        return seen;
    }

    @Test
    void cancelEndsAWaitAtOnce() {
        RedisClient client = REDIS.client();
        QueueSource<String> source = queue.source(client, ConsumerOptions.DEFAULT);
        RunningFlow<Delivery<String>> flow = Flow.from(source).start(delivery -> {});
        Eventually.holds(
                "it waits",
                () -> client.call(Command.of("INFO", "clients").as(Replies::text))
                        .contains("blocked_clients:1"));
        long begun = System.nanoTime();

        flow.cancel();
        FlowReport<?> report = flow.await();

        assertThat(System.nanoTime() - begun).isLessThan(900_000_000L);
        assertThat(report.abandoned()).isZero();
        assertThat(report.sourceFailures()).isEmpty();
    }

    @Test
    void sourceThatWaitsIsGivenWhatIsPushedLater() throws Exception {
        RedisClient client = REDIS.client();
        List<String> done = Collections.synchronizedList(new ArrayList<>());
        QueueSource<String> source = queue.source(client, ConsumerOptions.DEFAULT);
        RunningFlow<Delivery<String>> flow = Flow.from(source).start(delivery -> done.add(delivery.task()));
        for (String task : Work.tasks(20)) {
            queue.sink(client).accept(task);
            Eventually.holds(task + " is done", () -> done.contains(task));
        }

        flow.cancel(OnStop.DRAIN);

        assertThat(flow.await().counts().succeeded()).isEqualTo(20);
        assertThat(source.account().acknowledged()).isEqualTo(20);
        assertThat(client.call(Server.size())).isZero();
    }

    @Test
    void waitingChangesNothingAndWakesEverybody() {
        RedisClient client = REDIS.client();
        List<Thread> waiting = IntStream.range(0, 3)
                .mapToObj(i -> Thread.startVirtualThread(
                        () -> client.call(new ListKeys("feeds").untilFilled(Duration.ofSeconds(20)))))
                .toList();
        Eventually.holds(
                "three wait",
                () -> client.call(Command.of("INFO", "clients").as(Replies::text))
                        .contains("blocked_clients:3"));

        client.call(Lists.pushLeft("feeds", "a", "b"));

        waiting.forEach(thread -> Eventually.holds("it was woken", () -> !thread.isAlive()));
        assertThat(client.call(Lists.range("feeds", 0, -1))).containsExactly("b", "a");
    }

    @Test
    void batchesOfTasksAreAcknowledgedEachByItself() {
        RedisClient client = REDIS.client();
        Work.push(queue.sink(client), Work.tasks(200));
        QueueSource<String> source = queue.source(client, DRAIN.maxDeliveries(1));

        FlowReport<?> report = Flow.from(source)
                .consumers(2)
                .carryOn()
                .batches(Batching.of(10))
                .run(batch -> {
                    for (int i = 0; i < batch.tasks().size(); i++) {
                        if (batch.tasks().get(i).task().endsWith("7")) {
                            batch.fail(i, new IllegalStateException("a seven"));
                        }
                    }
                });

        assertThat(report.counts().succeeded()).isEqualTo(180);
        assertThat(source.account().acknowledged()).isEqualTo(180);
        assertThat(client.call(Lists.size(queue.deadLetters()))).isEqualTo(20);
    }
}
