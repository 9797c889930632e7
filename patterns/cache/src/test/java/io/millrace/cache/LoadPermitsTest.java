// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testkit.NoThreadLeft;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Permits for concurrent loader calls, their order, and lent permits. */
@ExtendWith(NoThreadLeft.class)
class LoadPermitsTest {

    private static LoaderCall enqueued(LoadPermits permits) {
        LoaderCall call = new LoaderCall();
        permits.enqueue(call);
        return call;
    }

    @Test
    void permitsAreGrantedInArrivalOrder() throws Exception {
        LoadPermits permits = new LoadPermits(1);
        LoaderCall first = enqueued(permits);
        LoaderCall second = enqueued(permits);
        LoaderCall third = enqueued(permits);

        assertThat(permits.await(first, 0)).isTrue();
        assertThat(permits.await(second, 0)).isFalse();
        assertThat(permits.tryAcquire(new LoaderCall())).isFalse();
        assertThat(permits.waiting()).isEqualTo(2);
        assertThat(permits.release(first)).isTrue();

        assertThat(permits.await(second, 0)).isTrue();
        assertThat(permits.await(third, 0)).isFalse();
    }

    @Test
    void permitOfACallThatLeavesIsGrantedToTheNextCall() throws Exception {
        LoadPermits permits = new LoadPermits(1);
        LoaderCall running = new LoaderCall();
        assertThat(permits.tryAcquire(running, 0)).isTrue();
        LoaderCall leaving = enqueued(permits);
        LoaderCall granted = enqueued(permits);
        LoaderCall last = enqueued(permits);

        assertThat(permits.release(leaving)).isFalse();
        assertThat(permits.release(running)).isTrue();
        assertThat(permits.await(last, 0)).isFalse();
        assertThat(permits.release(granted)).as("the call has the permit").isTrue();

        assertThat(permits.await(last, 0)).isTrue();
        assertThat(permits.waiting()).isZero();
    }

    @Test
    void secondReleaseHasNoEffect() {
        LoadPermits permits = new LoadPermits(1);
        LoaderCall call = new LoaderCall();

        assertThat(permits.tryAcquire(call)).isTrue();
        assertThat(permits.release(call)).isTrue();
        assertThat(permits.release(call)).isFalse();

        assertThat(permits.tryAcquire(new LoaderCall())).isTrue();
        assertThat(permits.tryAcquire(new LoaderCall())).isFalse();
    }

    @Test
    void waitingCallRunsWithALentPermitAndReturnsTheOtherPermitsUnchanged() throws Exception {
        LoadPermits permits = new LoadPermits(1);
        LoaderCall outer = new LoaderCall();
        assertThat(permits.tryAcquire(outer)).isTrue();
        LoaderCall inner = enqueued(permits);

        permits.lend(inner);
        assertThat(permits.await(inner, 0)).isTrue();
        assertThat(permits.release(inner)).isTrue();
        permits.endLending(inner);

        assertThat(permits.tryAcquire(new LoaderCall()))
                .as("the outer call has its permit")
                .isFalse();
        assertThat(permits.release(outer)).isTrue();
        assertThat(permits.tryAcquire(new LoaderCall())).isTrue();
    }

    @Test
    void callThatStartsAfterThePermitWasLentUsesTheLentPermit() {
        LoadPermits permits = new LoadPermits(0);
        LoaderCall inner = new LoaderCall();

        permits.lend(inner);

        assertThat(permits.tryAcquire(inner)).isTrue();
    }

    @Test
    void callKeepsAPermitOfItsOwnWhenTheLenderLeavesEarly() {
        LoadPermits permits = new LoadPermits(1);
        LoaderCall outer = new LoaderCall();
        assertThat(permits.tryAcquire(outer)).isTrue();
        LoaderCall inner = enqueued(permits);
        permits.lend(inner);

        permits.endLending(inner);
        assertThat(permits.release(outer)).isTrue();

        assertThat(permits.tryAcquire(new LoaderCall()))
                .as("the inner call still runs")
                .isFalse();
        assertThat(permits.release(inner)).isTrue();
        assertThat(permits.tryAcquire(new LoaderCall())).isTrue();
    }

    @Test
    void callLendsItsPermitToOneCallAtATimeAndNotAfterItsEnd() throws Exception {
        LoadPermits permits = new LoadPermits(1);
        LoaderCall outer = new LoaderCall();
        assertThat(permits.tryAcquire(outer)).isTrue();
        LoaderCall first = enqueued(permits);
        LoaderCall second = enqueued(permits);
        LoaderCall third = enqueued(permits);

        LoaderCall.Loan firstLoan = outer.beginLoan(permits, first);
        LoaderCall.Loan secondLoan = outer.beginLoan(permits, second);
        assertThat(permits.await(first, 0)).isTrue();
        assertThat(permits.await(second, 0)).isFalse();
        assertThat(permits.release(first)).isTrue();
        outer.endLoan(firstLoan);
        assertThat(permits.await(second, 0)).isTrue();

        outer.end();
        LoaderCall.Loan thirdLoan = outer.beginLoan(permits, third);
        assertThat(permits.release(outer)).isTrue();
        assertThat(permits.await(third, 0)).as("the second call still runs").isFalse();
        outer.endLoan(secondLoan);
        outer.endLoan(thirdLoan);
        assertThat(permits.release(second)).isTrue();
        assertThat(permits.await(third, 0)).isTrue();
    }

    @Test
    void permitsNeverExceedTheLimitAndNoPermitIsLost() throws Exception {
        long seed = System.nanoTime();
        System.out.println("LoadPermitsTest: seed=" + seed);
        LoadPermits permits = new LoadPermits(3);
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger number = new AtomicInteger();

        ConcurrentCallers.callAll(64, () -> {
            Random random = new Random(seed + number.incrementAndGet());
            for (int i = 0; i < 500; i++) {
                LoaderCall call = new LoaderCall();
                if (permits.tryAcquire(call, random.nextInt(200_000))) {
                    most.accumulateAndGet(running.incrementAndGet(), Math::max);
                    LockSupport.parkNanos(1_000);
                    running.decrementAndGet();
                    boolean unused = permits.release(call);
                }
            }
            return true;
        });

        assertThat(most.get()).isBetween(1, 3);
        assertThat(permits.waiting()).isZero();
        for (int permit = 0; permit < 3; permit++) {
            assertThat(permits.tryAcquire(new LoaderCall())).isTrue();
        }
        assertThat(permits.tryAcquire(new LoaderCall())).isFalse();
    }

    @Test
    void noPermitIsLostOrCreatedWhenPermitsAreLentAtRandom() throws Exception {
        long seed = System.nanoTime();
        System.out.println("LoadPermitsTest: lending seed=" + seed);
        LoadPermits permits = new LoadPermits(3);
        List<LoaderCall> shared =
                IntStream.range(0, 8).mapToObj(call -> new LoaderCall()).toList();
        AtomicInteger number = new AtomicInteger();

        ConcurrentCallers.callAll(32, () -> {
            int caller = number.getAndIncrement();
            Random random = new Random(seed + caller);
            for (int i = 0; i < 500; i++) {
                LoaderCall call = shared.get(random.nextInt(shared.size()));
                if (caller < shared.size()) { // this caller runs one of the shared calls
                    if (permits.tryAcquire(shared.get(caller), random.nextInt(100_000))) {
                        LockSupport.parkNanos(random.nextInt(20_000));
                        boolean unused = permits.release(shared.get(caller));
                    }
                } else { // this caller lends its permit to one of the shared calls
                    permits.lend(call);
                    LockSupport.parkNanos(random.nextInt(20_000));
                    permits.endLending(call);
                }
            }
            return true;
        });

        assertThat(permits.waiting()).isZero();
        for (int permit = 0; permit < 3; permit++) {
            assertThat(permits.tryAcquire(new LoaderCall())).isTrue();
        }
        assertThat(permits.tryAcquire(new LoaderCall())).isFalse();
    }
}
