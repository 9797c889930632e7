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
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
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
