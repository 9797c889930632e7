// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static io.millrace.queue.TestJobs.LEASE;
import static io.millrace.queue.TestJobs.draining;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Jobs that run on virtual threads, compute without blocking, and so occupy all carrier threads. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class BusyCarriersTest {

    private static final String KEY = "feeds";
    private static final int CARRIERS = Runtime.getRuntime().availableProcessors();

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    @ParameterizedTest
    @EnumSource
    void jobsThatComputeForLongerThanTheLeaseAreNotRepeated(QueueKind queueKind) throws Exception {
        List<String> unused = queueKind.push(REDIS.client(), KEY, TestJobs.payloads(CARRIERS));
        AtomicInteger began = new AtomicInteger();
        JobHandler<String> computing = job -> {
            began.incrementAndGet();
            compute(3 * LEASE.toNanos());
        };
        try (Worker worker = draining(queueKind.worker(REDIS.client(), KEY, CARRIERS, computing))
                .start()) {
            Eventually.holds("every carrier is busy", () -> began.get() == CARRIERS);

            try (Worker other = draining(queueKind.worker(REDIS.client(), KEY, CARRIERS, job -> {}))
                    .start()) {
                other.await(); // its dispatcher is a platform thread
                assertThat(other.stats().taken()).isZero();
            }
            worker.await();

            assertThat(worker.stats().succeeded()).isEqualTo(CARRIERS);
            assertThat(worker.stats().taken()).isEqualTo(CARRIERS);
        }
    }

    private static void compute(long nanos) {
        long end = System.nanoTime() + nanos;
        while (System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
    }
}
