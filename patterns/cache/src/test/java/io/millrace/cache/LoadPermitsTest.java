// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testkit.NoThreadLeft;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Permits for concurrent loads and their order. */
@ExtendWith(NoThreadLeft.class)
class LoadPermitsTest {

    @Test
    void permitsAreGrantedInArrivalOrder() throws Exception {
        LoadPermits loadPermits = new LoadPermits(1);
        LoadPermits.PermitRequest first = loadPermits.enqueue();
        LoadPermits.PermitRequest second = loadPermits.enqueue();
        LoadPermits.PermitRequest third = loadPermits.enqueue();

        assertThat(first.await(0)).isTrue();
        assertThat(second.await(0)).isFalse();
        assertThat(loadPermits.tryAcquire()).isFalse();
        assertThat(loadPermits.waiting()).isEqualTo(2);
        loadPermits.release();

        assertThat(second.await(0)).isTrue();
        assertThat(third.await(0)).isFalse();
    }

    @Test
    void permitOfACancelledRequestIsGrantedToTheNextRequest() throws Exception {
        LoadPermits loadPermits = new LoadPermits(1);
        assertThat(loadPermits.tryAcquire(0)).isTrue();
        LoadPermits.PermitRequest cancelled = loadPermits.enqueue();
        LoadPermits.PermitRequest granted = loadPermits.enqueue();
        LoadPermits.PermitRequest last = loadPermits.enqueue();

        assertThat(loadPermits.tryAcquire(0)).isFalse();
        cancelled.cancel();
        loadPermits.release();
        assertThat(last.await(0)).isFalse();
        granted.cancel(); // this request already has the permit

        assertThat(last.await(0)).isTrue();
        assertThat(loadPermits.waiting()).isZero();
    }

    @Test
    void permitsNeverExceedTheLimitAndNoPermitIsLost() throws Exception {
        long seed = System.nanoTime();
        System.out.println("LoadPermitsTest: seed=" + seed);
        LoadPermits loadPermits = new LoadPermits(3);
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger number = new AtomicInteger();

        ConcurrentCallers.callAll(64, () -> {
            Random random = new Random(seed + number.incrementAndGet());
            for (int i = 0; i < 500; i++) {
                if (loadPermits.tryAcquire(random.nextInt(200_000))) {
                    most.accumulateAndGet(running.incrementAndGet(), Math::max);
                    LockSupport.parkNanos(1_000);
                    running.decrementAndGet();
                    loadPermits.release();
                }
            }
            return true;
        });

        assertThat(most.get()).isBetween(1, 3);
        assertThat(loadPermits.waiting()).isZero();
        for (int permit = 0; permit < 3; permit++) {
            assertThat(loadPermits.tryAcquire()).isTrue();
        }
        assertThat(loadPermits.tryAcquire()).isFalse();
    }
}
