// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static io.millrace.queue.TestTasks.DRAIN;
import static io.millrace.queue.TestTasks.LEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.millrace.client.RedisClient;
import io.millrace.tasks.Outcome;
import io.millrace.tasks.RunningTaskFlow;
import io.millrace.tasks.TaskFlow;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.Direction;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Sources whose commands are executed but whose replies are lost. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class LostReplyTest {

    private static final String KEY = "feeds";
    private static final String NAME = "mill-1";
    private static final Duration SHORT = Duration.ofMillis(200);

    /** A timeout that is longer than the lifetime of each connection in these tests. So no command times out. */
    private static final Duration LONG = Duration.ofSeconds(60);

    private static final ConsumerOptions NAMED =
            ConsumerOptions.DEFAULT.consumer(NAME).endingWhenEmpty();

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    @ParameterizedTest
    @EnumSource
    void acknowledgementWithALostReplyIsCountedAsAcknowledged(QueueKind queueKind) {
        RedisServerExtension.BreakableConnection line = REDIS.breakableClient(LONG);
        RedisClient client = REDIS.client();
        TestTasks.push(queueKind.sink(client, KEY), TestTasks.tasks(10));
        CountDownLatch mayEnd = new CountDownLatch(1);
        QueueSource<String> source = queueKind.source(line.client(), KEY, NAMED);
        RunningTaskFlow<Delivery<String>> flow =
                TaskFlow.from(source).consumers(10).start(delivery -> mayEnd.await());
        Eventually.holds("all tasks are pending", () -> source.stats().pending() == 10);

        loseReplies(line, queueKind, client, mayEnd);

        assertThat(flow.await().counts().succeeded()).isEqualTo(10);
        assertThat(source.stats().acknowledged()).isEqualTo(10);
        assertThat(source.stats().noLongerPending()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void deadLetterWithALostReplyIsCountedAsDeadLettered(QueueKind queueKind) {
        RedisServerExtension.BreakableConnection line = REDIS.breakableClient(LONG);
        RedisClient client = REDIS.client();
        TestTasks.push(queueKind.sink(client, KEY), TestTasks.tasks(10));
        CountDownLatch mayEnd = new CountDownLatch(1);
        QueueSource<String> source = queueKind.source(line.client(), KEY, NAMED.maxDeliveries(1));
        RunningTaskFlow<Delivery<String>> flow = TaskFlow.from(source)
                .consumers(10)
                .continueOnFailure()
                .start(delivery -> {
                    mayEnd.await();
                    throw new IllegalStateException("poison");
                });
        Eventually.holds("all tasks are pending", () -> source.stats().pending() == 10);

        loseReplies(line, queueKind, client, mayEnd);

        assertThat(flow.await().counts().failed()).isEqualTo(10);
        assertThat(source.stats().deadLettered()).isEqualTo(10);
        assertThat(source.stats().deadLetters()).hasSize(10);
    }

    private static void loseReplies(
            RedisServerExtension.BreakableConnection line,
            QueueKind queueKind,
            RedisClient client,
            CountDownLatch mayEnd) {
        line.proxy().stall(Direction.TO_CLIENT);
        mayEnd.countDown();
        Eventually.holds(
                "the server has settled some tasks", // other acknowledgements may wait for the next round
                () -> queueKind.pendingOf(NAME, client, KEY).size() < 10);
        line.proxy().disconnectAll(ConnectionEnd.RESET);
        line.proxy().resume(Direction.TO_CLIENT);
    }

    @ParameterizedTest
    @EnumSource
    void sourceThatIsClosedWhileItOpensLeavesNoThreadRunning(QueueKind queueKind) throws Exception {
        RedisServerExtension.BreakableConnection line = REDIS.breakableClient();
        QueueSource<String> source = queueKind.source(line.client(), KEY, DRAIN);
        line.proxy().stall(Direction.TO_CLIENT);
        long sent = line.proxy().forwardedBytes(Direction.TO_SERVER);
        Thread opening =
                Thread.startVirtualThread(() -> assertThat(source.next()).isEmpty());
        line.proxy().awaitForwarded(Direction.TO_SERVER, sent + 1, LONG);

        source.close();
        line.proxy().resume(Direction.TO_CLIENT);

        opening.join();
        assertThatThrownBy(source::next).hasMessage("the source is closed: queue=feeds. Create one source per flow.");
    }

    @ParameterizedTest
    @EnumSource
    void consumerDisconnectedForLongerThanTheLeaseKeepsItsOwnTasks(QueueKind queueKind) throws Exception {
        RedisServerExtension.BreakableConnection line = REDIS.breakableClient();
        TestTasks.push(queueKind.sink(REDIS.client(), KEY), TestTasks.tasks(5));
        QueueSource<String> source = queueKind.source(line.client(), KEY, DRAIN.maxDeliveries(1));
        List<Delivery<String>> deliveries = source.next();
        line.disconnect();
        long cutAt = System.nanoTime();
        Eventually.holds("two leases have passed", () -> System.nanoTime() - cutAt > 2 * LEASE.toNanos());

        Thread polling =
                Thread.startVirtualThread(() -> assertThat(source.next()).isEmpty());
        line.reconnect();
        long mendedAt = System.nanoTime();
        Eventually.holds("the source has polled", () -> System.nanoTime() - mendedAt > LEASE.toNanos());
        for (Delivery<String> delivery : deliveries) {
            source.settled(new Outcome.Succeeded<>(delivery, 1, "done"));
        }
        polling.join();
        source.close();

        assertThat(source.stats().acknowledged()).isEqualTo(5);
        assertThat(source.stats().deadLettered()).isZero();
    }

    @Test
    void sourceWithTooManyUnsentAcknowledgementsFailsAfterItsRetryTimeout() {
        RedisServerExtension.BreakableConnection line =
                REDIS.breakableClient(Duration.ofSeconds(1)); // taking 8,000 tasks can exceed the default
        TestTasks.push(QueueKind.LIST.sink(REDIS.client(), KEY), TestTasks.tasks(16_000));
        QueueSource<String> source =
                QueueKind.LIST.source(line.client(), KEY, DRAIN.batch(8_000).retryTimeout(SHORT));
        List<Delivery<String>> deliveries = new ArrayList<>(source.next());
        deliveries.addAll(source.next());
        line.disconnect();
        deliveries.forEach(delivery -> source.settled(new Outcome.Succeeded<>(delivery, 1, "done")));

        assertThatThrownBy(source::next)
                .isInstanceOf(QueueException.class)
                .hasMessageContaining("could not be acknowledged after 200 ms: queue=feeds, tasks=1");

        assertThat(catchThrowable(source::close)).isInstanceOf(QueueException.class);
        assertThat(source.stats().unacknowledged()).isEqualTo(16_000);
    }
}
