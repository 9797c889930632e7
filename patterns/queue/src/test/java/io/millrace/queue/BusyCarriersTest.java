// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static io.millrace.queue.TestTasks.DRAIN;
import static io.millrace.queue.TestTasks.LEASE;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.tasks.RunningTaskFlow;
import io.millrace.tasks.TaskFlow;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Consumers that run on virtual threads. The consumers compute without blocking, and so occupy all carrier threads. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class BusyCarriersTest {

    private static final String KEY = "feeds";
    private static final int CARRIERS = Runtime.getRuntime().availableProcessors();

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    @ParameterizedTest
    @EnumSource
    void tasksThatComputeForLongerThanTheLeaseStayPending(QueueKind queueKind) throws Exception {
        TestTasks.push(queueKind.sink(REDIS.client(), KEY), TestTasks.tasks(CARRIERS));
        QueueSource<String> computing = queueKind.source(REDIS.client(), KEY, DRAIN);
        QueueSource<String> other = queueKind.source(REDIS.client(), KEY, DRAIN);
        AtomicInteger started = new AtomicInteger();
        RunningTaskFlow<Delivery<String>> flow = TaskFlow.from(computing)
                .consumers(CARRIERS)
                .start(delivery -> {
                    started.incrementAndGet();
                    compute(3 * LEASE.toNanos());
                });
        Eventually.holds("every carrier is busy", () -> started.get() == CARRIERS);

        List<Delivery<String>> taken = other.next(); // runs on this platform thread

        assertThat(taken).isEmpty();
        assertThat(flow.await().counts().succeeded()).isEqualTo(CARRIERS);
        assertThat(computing.stats().acknowledged()).isEqualTo(CARRIERS);
        other.close();
    }

    private static void compute(long nanos) {
        long end = System.nanoTime() + nanos;
        while (System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
    }
}
