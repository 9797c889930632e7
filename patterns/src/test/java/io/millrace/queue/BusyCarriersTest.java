// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static io.millrace.queue.Work.DRAIN;
import static io.millrace.queue.Work.LEASE;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.tasks.Flow;
import io.millrace.tasks.RunningFlow;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Consumers on virtual threads that compute, and leave no carrier to anybody else. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class BusyCarriersTest {

    private static final String KEY = "feeds";
    private static final int CARRIERS = Runtime.getRuntime().availableProcessors();

    @RegisterExtension
    static final Redis REDIS = new Redis();

    @ParameterizedTest
    @EnumSource
    void tasksStayWithConsumersThatComputeForLongerThanTheLease(Kind kind) throws Exception {
        Work.push(kind.sink(REDIS.client(), KEY), Work.tasks(CARRIERS));
        QueueSource<String> computing = kind.source(REDIS.client(), KEY, DRAIN);
        QueueSource<String> other = kind.source(REDIS.client(), KEY, DRAIN);
        AtomicInteger begun = new AtomicInteger();
        RunningFlow<Delivery<String>> flow = Flow.from(computing)
                .consumers(CARRIERS)
                .start(delivery -> {
                    begun.incrementAndGet();
                    compute(3 * LEASE.toNanos());
                });
        Eventually.holds("every carrier is busy", () -> begun.get() == CARRIERS);

        List<Delivery<String>> taken = other.next(); // on this thread, which is none of them

        assertThat(taken).isEmpty();
        assertThat(flow.await().counts().succeeded()).isEqualTo(CARRIERS);
        assertThat(computing.account().acknowledged()).isEqualTo(CARRIERS);
        other.close();
    }

    private static void compute(long nanos) {
        long end = System.nanoTime() + nanos;
        while (System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
    }
}
