// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static io.millrace.queue.TestTasks.DRAIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Strings;
import io.millrace.tasks.Ending;
import io.millrace.tasks.RunningTaskFlow;
import io.millrace.tasks.TaskFlow;
import io.millrace.tasks.TaskFlowException;
import io.millrace.tasks.TaskFlowReport;
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

/** Sources that lose the server or the connection. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class LostServerTest {

    private static final String KEY = "feeds";
    private static final Duration SHORT = Duration.ofMillis(200);

    /** A lease that does not expire in this test. */
    private static final Duration LONG = Duration.ofSeconds(5);

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    @ParameterizedTest
    @EnumSource
    void brokenConnectionsLoseNoTask(QueueKind queueKind) {
        long seed = System.nanoTime();
        System.out.println("LostServerTest: kind=" + queueKind + ", seed=" + seed);
        Random random = new Random(seed);
        RedisServerExtension.BreakableConnection line = REDIS.breakableClient(Duration.ofSeconds(60));
        TestTasks.push(queueKind.sink(REDIS.client(), KEY), TestTasks.tasks(2_000));
        Map<String, Integer> effects = new ConcurrentHashMap<>();
        AtomicInteger done = new AtomicInteger();
        QueueSource<String> source =
                queueKind.source(line.client(), KEY, DRAIN.lease(LONG).batch(50));

        RunningTaskFlow<Delivery<String>> flow = TaskFlow.from(source)
                .consumers(4)
                .start(delivery -> {
                    effects.merge(delivery.task(), 1, Integer::sum);
                    done.incrementAndGet();
                    LockSupport.parkNanos(200_000);
                });
        for (int next = 100; next < 2_000; next += 1 + random.nextInt(300)) {
            int reached = next;
            Eventually.holds("the next number of tasks is done", () -> done.get() >= reached || flow.isEnded());
            line.proxy().disconnectAll(io.millrace.testkit.ConnectionEnd.RESET);
        }
        TaskFlowReport<?> report = flow.await();

        assertThat(effects).hasSize(2_000);
        assertThat(source.stats().unacknowledged()).isZero();
        assertThat(source.stats().noLongerPending()).isZero();
        assertThat(TestTasks.agree(source.stats(), report.counts()))
                .as("%s, %s", source.stats(), report.counts())
                .isTrue();
        assertThat(done.get() - 2_000L).isLessThanOrEqualTo(source.stats().redelivered());
    }

    @ParameterizedTest
    @EnumSource
    void tasksDoneWhileTheServerIsUnreachableAreAcknowledgedLater(QueueKind queueKind) {
        RedisServerExtension.BreakableConnection line = REDIS.breakableClient();
        TestTasks.push(queueKind.sink(REDIS.client(), KEY), TestTasks.tasks(10));
        CountDownLatch mayEnd = new CountDownLatch(1);
        QueueSource<String> source = queueKind.source(line.client(), KEY, ConsumerOptions.DEFAULT.endingWhenEmpty());
        RunningTaskFlow<Delivery<String>> flow =
                TaskFlow.from(source).consumers(10).start(delivery -> mayEnd.await());
        Eventually.holds("all tasks are pending", () -> source.stats().pending() == 10);

        line.disconnect();
        mayEnd.countDown();
        Eventually.holds("all tasks are done", () -> flow.counts().succeeded() == 10);
        line.reconnect();

        assertThat(flow.await().counts().succeeded()).isEqualTo(10);
        assertThat(source.stats().acknowledged()).isEqualTo(10);
        assertThat(source.stats().redelivered()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void tasksThatCannotBeAcknowledgedAreListedInTheStatsAndDeliveredAgain(QueueKind queueKind) {
        RedisServerExtension.BreakableConnection line = REDIS.breakableClient();
        RedisClient client = REDIS.client();
        TestTasks.push(queueKind.sink(client, KEY), TestTasks.tasks(10));
        CountDownLatch mayEnd = new CountDownLatch(1);
        QueueSource<String> source = queueKind.source(line.client(), KEY, DRAIN.retryTimeout(SHORT));
        RunningTaskFlow<Delivery<String>> flow =
                TaskFlow.from(source).consumers(10).start(delivery -> mayEnd.await());
        Eventually.holds("all tasks are pending", () -> source.stats().pending() == 10);
        line.disconnect();
        mayEnd.countDown();

        TaskFlowException failure = catchThrowableOfType(TaskFlowException.class, flow::await);

        assertThat(failure.report().ending()).isEqualTo(Ending.SOURCE_FAILED);
        assertThat(failure.report().counts().succeeded()).isEqualTo(10);
        assertThat(failure.report().sourceFailures())
                .anySatisfy(cause -> assertThat(cause)
                        .isInstanceOf(QueueException.class)
                        .hasMessageStartingWith(
                                "tasks could not be acknowledged after 200 ms: queue=feeds, tasks=10, first=["));
        List<String> unacknowledged = source.stats().unacknowledgedIds();
        assertThat(unacknowledged).hasSize(10);
        QueueSource<String> after = queueKind.source(client, KEY, DRAIN);
        assertThat(TestTasks.drain(after).counts().succeeded()).isEqualTo(10);
        assertThat(after.stats().redeliveredIds()).containsExactlyInAnyOrderElementsOf(unacknowledged);
    }

    @ParameterizedTest
    @EnumSource
    void sourceFailsAfterItsRetryTimeout(QueueKind queueKind) {
        RedisServerExtension.BreakableConnection line = REDIS.breakableClient();
        QueueSource<String> source = queueKind.source(line.client(), KEY, ConsumerOptions.DEFAULT.retryTimeout(SHORT));
        line.disconnect();

        assertThatThrownBy(() -> TaskFlow.from(source).run(delivery -> {})).isInstanceOf(TaskFlowException.class);
    }

    @ParameterizedTest
    @EnumSource
    void flowFailsIfTheRedisKeyIsNotAQueue(QueueKind queueKind) {
        RedisClient client = REDIS.client();
        client.call(Strings.set(KEY, "not a queue"));

        assertThatThrownBy(() -> TestTasks.drain(queueKind.source(client, KEY, ConsumerOptions.DEFAULT)))
                .isInstanceOf(TaskFlowException.class)
                .hasMessageContaining("WRONGTYPE");
    }
}
