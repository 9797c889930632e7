// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.cache.Leases.LeaseSnapshot;
import io.millrace.cache.Leases.LeaseState;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Contains the two waits of a load: the wait for a permit, and the wait for the end of the lease of another process.
 * During both waits the load reads Redis repeatedly, because another process may write the value. Thread-safe.
 */
final class LeaseWait<V> {

    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /**
     * Longest pause between two reads, unless many loads wait. If another process writes the value, the
     * load finds the value after at most this pause and one read.
     */
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /**
     * The pause of a waiting load between two reads is at least this time multiplied by the number of waiting loads,
     * before jitter. So all waiting loads of a cache together read Redis at most about 7,000 times a second.
     */
    private static final long PAUSE_PER_WAITER_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

    /**
     * Pause after a read without a reply. Such a read blocks the load for the full Redis timeout, and a blocked load
     * cannot take a free permit. So these reads must be rare.
     */
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Leases<V> leases;
    private final LoadAdmission admission;
    private final LoadTiming timing;

    /** Number of loads that wait for leases of other processes. */
    private final AtomicInteger waitingForLeases = new AtomicInteger();

    LeaseWait(Leases<V> leases, LoadAdmission admission, LoadTiming timing) {
        this.leases = leases;
        this.admission = admission;
        this.timing = timing;
    }

    /**
     * Takes a permit. Returns false if the load has ended without a permit, because another process wrote the value, or
     * because the deadline passed.
     */
    boolean takePermit(Load<V> load, long deadline) throws InterruptedException {
        return admission.tryAcquire(load) || awaitPermit(load, deadline);
    }

    private boolean awaitPermit(Load<V> load, long deadline) throws InterruptedException {
        admission.enqueue(load);
        boolean taken = false;
        try {
            long pause = FIRST_PAUSE_NANOS;
            for (long left = timing.nanosLeft(deadline); left > 0; left = timing.nanosLeft(deadline)) {
                taken = admission.await(load, Math.min(left, timing.jittered(shared(pause))));
                if (taken) {
                    return true;
                }
                LeaseSnapshot<V> seen = leases.read(load.key());
                if (timing.isAnswered(load, seen.entry())) {
                    load.complete(new LoadOutcome.Completed<>(seen.entry()));
                    return false;
                }
                pause = seen.state() == LeaseState.UNKNOWN ? SILENCE_NANOS : Math.min(2 * pause, LONGEST_PAUSE_NANOS);
            }
            load.complete(LoadOutcome.noPermit());
            return false;
        } finally {
            if (!taken) {
                admission.release(load);
            }
        }
    }

    /**
     * Waits until the lease of another process has ended. Returns false if the load has ended, because the other
     * process wrote the value, or because the deadline passed. A background load does not wait.
     */
    boolean awaitFree(LoadTask<V> task, LeaseSnapshot<V> leaseSnapshot, long deadline) throws InterruptedException {
        waitingForLeases.incrementAndGet();
        try {
            return pollUntilFree(task, leaseSnapshot, deadline);
        } finally {
            waitingForLeases.decrementAndGet();
        }
    }

    private boolean pollUntilFree(LoadTask<V> task, LeaseSnapshot<V> leaseSnapshot, long deadline)
            throws InterruptedException {
        Load<V> load = task.load();
        LeaseSnapshot<V> seen = leaseSnapshot;
        long pause = FIRST_PAUSE_NANOS;
        while (!timing.isAnswered(load, seen.entry())) {
            if (seen.state() != LeaseState.HELD_BY_OTHER) {
                return true;
            }
            if (load.background || timing.nanosLeft(deadline) <= 0) {
                load.complete(new LoadOutcome.NotLoaded<>("load of another process"));
                return false;
            }
            task.leaveWriteBack();
            TimeUnit.NANOSECONDS.sleep(pause(shared(pause), seen.leftMillis()));
            pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
            seen = leases.read(load.key());
        }
        load.complete(new LoadOutcome.Completed<>(seen.entry()));
        return false;
    }

    /** Returns {@code pause}, or a longer pause if many loads wait. */
    private long shared(long pause) {
        return Math.max(pause, (admission.waiting() + waitingForLeases.get()) * PAUSE_PER_WAITER_NANOS);
    }

    /** Returns a random pause of at most {@code pause}, which ends no later than the lease. */
    private long pause(long pause, long leaseLeftMillis) {
        long jittered = timing.jittered(pause);
        long left = leaseLeftMillis < 0 ? jittered : TimeUnit.MILLISECONDS.toNanos(leaseLeftMillis + 1);
        return Math.min(jittered, left);
    }
}
