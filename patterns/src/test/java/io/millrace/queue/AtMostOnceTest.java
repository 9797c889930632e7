// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static io.millrace.queue.Work.DRAIN;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Lists;
import io.millrace.client.RedisClient;
import io.millrace.client.Server;
import io.millrace.tasks.Flow;
import io.millrace.tasks.FlowReport;
import io.millrace.tasks.OnStop;
import io.millrace.tasks.RunningFlow;
import io.millrace.testkit.Direction;
import io.millrace.testkit.Ending;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A queue that is a list, with tasks delivered at most once. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class AtMostOnceTest {

    @RegisterExtension
    static final Redis REDIS = new Redis();

    private final ListQueue<String> queue = ListQueue.of("feeds", TaskCodec.TEXT);

    @Test
    void everyTaskIsPoppedInItsOrder() {
        RedisClient client = REDIS.client();
        Work.push(queue.sink(client), Work.tasks(3_000));
        List<String> done = new ArrayList<>();
        QueueSource<String> source = queue.sourceAtMostOnce(client, DRAIN);

        FlowReport<?> unused = Flow.from(source).consumers(1).run(delivery -> done.add(delivery.task()));

        assertThat(done).isEqualTo(Work.tasks(3_000));
        assertThat(source.account().acknowledged()).isEqualTo(3_000);
        assertThat(client.call(Server.size())).isZero();
    }

    @Test
    void taskThatFailsIsNotDeliveredAgain() {
        RedisClient client = REDIS.client();
        Work.push(queue.sink(client), Work.tasks(10));
        QueueSource<String> source = queue.sourceAtMostOnce(client, DRAIN);

        FlowReport<?> report = Flow.from(source).carryOn().run(delivery -> {
            throw new IllegalStateException("always");
        });

        assertThat(report.counts().failed()).isEqualTo(10);
        assertThat(source.account().delivered()).isEqualTo(10);
        assertThat(client.call(Server.size())).isZero();
    }

    @Test
    void whatWasNeverBegunGoesBackInItsOrder() {
        RedisClient client = REDIS.client();
        Work.push(queue.sink(client), Work.tasks(100));
        CountDownLatch begun = new CountDownLatch(1);
        QueueSource<String> source = queue.sourceAtMostOnce(client, DRAIN.batch(40));
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

        assertThat(client.call(Lists.range("feeds", 0, -1)).reversed())
                .isEqualTo(Work.tasks(100).subList(1, 100));
        assertThat(source.account().returned()).isEqualTo(report.counts().cancelled() - 1);
        assertThat(source.account().acknowledged()).isEqualTo(1);
    }

    @Test
    void taskWhosePushBackHadNoAnswerIsNotPushedAgain() {
        Redis.Line line = REDIS.line(Duration.ofSeconds(20));
        RedisClient client = REDIS.client();
        Work.push(queue.sink(client), Work.tasks(20));
        QueueSource<String> source = queue.sourceAtMostOnce(line.client(), ConsumerOptions.DEFAULT.batch(20));
        RunningFlow<Delivery<String>> flow = blockedFlow(source);
        Eventually.holds("all are popped", () -> source.account().delivered() == 20);
        line.proxy().stall(Direction.TO_CLIENT);

        flow.cancel(OnStop.DROP);
        Eventually.holds("they are pushed back", () -> client.call(Lists.size("feeds")) == 19);
        line.proxy().disconnectAll(Ending.RESET);
        line.proxy().resume(Direction.TO_CLIENT);
        FlowReport<?> unused = flow.await();

        assertThat(client.call(Lists.range("feeds", 0, -1)).reversed())
                .isEqualTo(Work.tasks(20).subList(1, 20));
        assertThat(source.account().unacknowledged()).isEqualTo(19);
    }

    @Test
    void whatIsPoppedForAFlowThatHasGivenUpWaitingGoesBackOnce() {
        Redis.Line line = REDIS.line(Duration.ofSeconds(20));
        RedisClient client = REDIS.client();
        Work.push(queue.sink(client), Work.tasks(30));
        QueueSource<String> source = queue.sourceAtMostOnce(line.client(), DRAIN.batch(10));
        CountDownLatch mayGoOn = new CountDownLatch(1);
        RunningFlow<Delivery<String>> flow = Flow.from(source)
                .consumers(1)
                .prefetch(2)
                .grace(Duration.ofMillis(100))
                .start(delivery -> {
                    switch (delivery.task()) {
                        case "t8" -> mayGoOn.await();
                        case "t9" -> new CountDownLatch(1).await();
                        default -> {}
                    }
                });
        Eventually.holds("two batches are there", () -> source.account().delivered() == 20);
        line.proxy().stall(Direction.TO_CLIENT);
        mayGoOn.countDown();
        Eventually.holds("the third is on its way", () -> client.call(Lists.size("feeds")) == 0);

        flow.cancel(OnStop.DROP);
        Eventually.holds("the second goes back", () -> client.call(Lists.size("feeds")) == 10);
        line.proxy().resume(Direction.TO_CLIENT);

        assertThat(flow.await().abandoned()).isEqualTo(1);
        Eventually.holds("the third goes back", () -> source.account().returned() == 20);
        assertThat(client.call(Lists.range("feeds", 0, -1)))
                .containsExactlyInAnyOrderElementsOf(Work.tasks(30).subList(10, 30));
    }

    private RunningFlow<Delivery<String>> blockedFlow(QueueSource<String> source) {
        return Flow.from(source).consumers(1).start(delivery -> new CountDownLatch(1).await());
    }

    @Test
    void sourceThatWaitsIsGivenWhatIsPushedLater() {
        RedisClient client = REDIS.client();
        List<String> done = Collections.synchronizedList(new ArrayList<>());
        QueueSource<String> source = queue.sourceAtMostOnce(client, ConsumerOptions.DEFAULT);
        RunningFlow<Delivery<String>> flow = Flow.from(source).start(delivery -> done.add(delivery.task()));
        for (String task : Work.tasks(20)) {
            queue.sink(client).accept(task);
            Eventually.holds(task + " is done", () -> done.contains(task));
        }

        flow.cancel(OnStop.DRAIN);

        assertThat(flow.await().counts().succeeded()).isEqualTo(20);
    }

    @Test
    void taskThatCannotBeDecodedIsPutAside() {
        RedisClient client = REDIS.client();
        client.call(Lists.pushLeft("numbers", "1", "two", "3"));
        ListQueue<Integer> numbers = ListQueue.of("numbers", TaskCodec.text(String::valueOf, Integer::valueOf));
        QueueSource<Integer> source = numbers.sourceAtMostOnce(client, DRAIN);

        FlowReport<?> report = Work.drain(source);

        assertThat(report.counts().succeeded()).isEqualTo(2);
        assertThat(source.account().rejected()).isEqualTo(1);
        assertThat(client.call(Lists.range(numbers.deadLetters(), 0, -1))).containsExactly("two");
    }
}
