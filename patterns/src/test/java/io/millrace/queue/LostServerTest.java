// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static io.millrace.queue.Work.DRAIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.RedisClient;
import io.millrace.client.Strings;
import io.millrace.tasks.Ending;
import io.millrace.tasks.Flow;
import io.millrace.tasks.FlowException;
import io.millrace.tasks.FlowReport;
import io.millrace.tasks.RunningFlow;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What happens to a source whose server, or the way to it, is away. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class LostServerTest {

    private static final String KEY = "feeds";
    private static final Duration SHORT = Duration.ofMillis(200);

    /** Nobody is silent for so long. */
    private static final Duration LONG = Duration.ofSeconds(3);

    @RegisterExtension
    static final Redis REDIS = new Redis();

    @ParameterizedTest
    @EnumSource
    void connectionsThatBreakLoseNoTask(Kind kind) {
        long seed = System.nanoTime();
        System.out.println("LostServerTest: kind=" + kind + ", seed=" + seed);
        Random random = new Random(seed);
        Redis.Line line = REDIS.line();
        Work.push(kind.sink(REDIS.client(), KEY), Work.tasks(2_000));
        Map<String, Integer> effects = new ConcurrentHashMap<>();
        AtomicInteger done = new AtomicInteger();
        QueueSource<String> source =
                kind.source(line.client(), KEY, DRAIN.lease(LONG).batch(50));

        RunningFlow<Delivery<String>> flow = Flow.from(source).consumers(4).start(delivery -> {
            effects.merge(delivery.task(), 1, Integer::sum);
            done.incrementAndGet();
            LockSupport.parkNanos(200_000);
        });
        for (int next = 100; next < 2_000; next += 1 + random.nextInt(300)) {
            int reached = next;
            Eventually.holds("so many are done", () -> done.get() >= reached || flow.isEnded());
            line.proxy().disconnectAll(io.millrace.testkit.Ending.RESET);
        }
        FlowReport<?> report = flow.await();

        assertThat(effects).hasSize(2_000);
        assertThat(source.account().unacknowledged()).isZero();
        assertThat(source.account().takenAway()).isZero();
        assertThat(Work.agree(source.account(), report.counts()))
                .as("%s, %s", source.account(), report.counts())
                .isTrue();
        assertThat(done.get() - 2_000L).isLessThanOrEqualTo(source.account().redelivered());
    }

    @ParameterizedTest
    @EnumSource
    void whatIsDoneWhileTheServerIsAwayIsAcknowledgedWhenItIsBack(Kind kind) {
        Redis.Line line = REDIS.line();
        Work.push(kind.sink(REDIS.client(), KEY), Work.tasks(10));
        CountDownLatch mayEnd = new CountDownLatch(1);
        QueueSource<String> source = kind.source(line.client(), KEY, ConsumerOptions.DEFAULT.endingWhenEmpty());
        RunningFlow<Delivery<String>> flow = Flow.from(source).consumers(10).start(delivery -> mayEnd.await());
        Eventually.holds("all are in hand", () -> source.account().inHand() == 10);

        line.cut();
        mayEnd.countDown();
        Eventually.holds("all are done", () -> flow.counts().succeeded() == 10);
        line.mend();

        assertThat(flow.await().counts().succeeded()).isEqualTo(10);
        assertThat(source.account().acknowledged()).isEqualTo(10);
        assertThat(source.account().redelivered()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void whatCannotBeAcknowledgedIsNamedAndDeliveredAgain(Kind kind) {
        Redis.Line line = REDIS.line();
        RedisClient client = REDIS.client();
        Work.push(kind.sink(client, KEY), Work.tasks(10));
        CountDownLatch mayEnd = new CountDownLatch(1);
        QueueSource<String> source = kind.source(line.client(), KEY, DRAIN.patience(SHORT));
        RunningFlow<Delivery<String>> flow = Flow.from(source).consumers(10).start(delivery -> mayEnd.await());
        Eventually.holds("all are in hand", () -> source.account().inHand() == 10);
        line.cut();
        mayEnd.countDown();

        FlowException failure = catchThrowableOfType(FlowException.class, flow::await);

        assertThat(failure.report().ending()).isEqualTo(Ending.SOURCE_FAILED);
        assertThat(failure.report().counts().succeeded()).isEqualTo(10);
        assertThat(failure.report().sourceFailures())
                .anySatisfy(cause -> assertThat(cause)
                        .isInstanceOf(QueueException.class)
                        .hasMessageStartingWith(
                                "the end of tasks could not be told after 200 ms: queue=feeds, tasks=10, first=["));
        List<String> named = source.account().unacknowledgedIds();
        assertThat(named).hasSize(10);
        QueueSource<String> after = kind.source(client, KEY, DRAIN);
        assertThat(Work.drain(after).counts().succeeded()).isEqualTo(10);
        assertThat(after.account().redeliveredIds()).containsExactlyInAnyOrderElementsOf(named);
    }

    @ParameterizedTest
    @EnumSource
    void sourceGivesUpWhenItsPatienceIsAtItsEnd(Kind kind) {
        Redis.Line line = REDIS.line();
        QueueSource<String> source = kind.source(line.client(), KEY, ConsumerOptions.DEFAULT.patience(SHORT));
        line.cut();

        assertThatThrownBy(() -> Flow.from(source).run(delivery -> {})).isInstanceOf(FlowException.class);
    }

    @ParameterizedTest
    @EnumSource
    void keyOfAnotherTypeIsAFailureAtOnce(Kind kind) {
        RedisClient client = REDIS.client();
        client.call(Strings.set(KEY, "no queue"));

        assertThatThrownBy(() -> Work.drain(kind.source(client, KEY, ConsumerOptions.DEFAULT)))
                .isInstanceOf(FlowException.class)
                .hasMessageContaining("WRONGTYPE");
    }
}
