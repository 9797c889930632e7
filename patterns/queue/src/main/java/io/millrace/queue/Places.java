// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/*
 * DESIGN
 *
 *     dispatcher --admit()--> waiting jobs --begin(), next()--> thread of a place
 *
 * At first, a worker takes only as many jobs as places are free, and each job begins at once. Jobs that are shorter than
 * a round trip leave all places empty while the dispatcher fetches. The worker then takes jobs ahead, which have no place
 * yet: as many as begin within MAX_WAIT_NANOS. This number doubles when a fetch had as many jobs as wanted, like the fetch
 * before, and all places are empty at its end. The number halves when a job waits for too long, and is 0 when the queue
 * has fewer jobs than wanted. So a worker takes no job that another worker could begin earlier, except when long jobs
 * follow short ones. The jobs that have no place after OVERDUE_NANOS then go back to the queue.
 */

/**
 * The places of a worker: each running job occupies a place, and other jobs wait for a place for a short time. An abandoned
 * job occupies no place, but the worker takes no jobs while {@link #MAX_ABANDONED} abandoned jobs still run. Thread-safe.
 */
final class Places<T> {

    /** Maximum number of abandoned jobs that still run. The same number as in task flows. */
    static final int MAX_ABANDONED = 16;

    /**
     * Maximum number of jobs that wait for a place. Jobs that do nothing reach no higher rate with more: within
     * MAX_WAIT_NANOS, a worker does some hundred of them.
     */
    static final int MAX_AHEAD = 1_000;

    private static final long MAX_WAIT_NANOS = 1_000_000;
    private static final long OVERDUE_NANOS = 20_000_000;

    private record WaitingJob<T>(TakenJob<T> job, long since) {}

    private final int concurrency;
    private final int maxAhead;
    private final LongSupplier clock;
    private final ReentrantLock lock = new ReentrantLock();

    /** Signalled when the dispatcher may take jobs. */
    private final Condition roomFreed = lock.newCondition();

    /** Signalled when no place is occupied, and at each change of the fields "stopping" and "hurried". */
    private final Condition changed = lock.newCondition();

    // The lock guards all fields below.
    private final Deque<WaitingJob<T>> waiting = new ArrayDeque<>();

    /** The number of jobs that may wait for a place. */
    private int ahead;

    /** Whether the last fetch had as many jobs as the dispatcher wanted. */
    private boolean full;

    /** Whether a job has waited for too long since the last fetch. */
    private boolean late;

    /** The number of occupied places. */
    private int running;

    /** The number of occupied places whose thread has not begun its first job. Each of them needs a waiting job. */
    private int starting;

    /** The number of suspects that wait or run. */
    private int suspects;

    private int abandoned;
    private boolean stopping;
    private boolean hurried;

    /**
     * @param maxAhead the maximum number of jobs that wait for a place, at most {@link #MAX_AHEAD}
     */
    Places(int concurrency, int maxAhead, LongSupplier clock) {
        this.concurrency = concurrency;
        this.maxAhead = maxAhead;
        this.clock = clock;
    }

    /**
     * Waits until the worker may take jobs, and returns the number of these jobs. Returns 0 if the worker is stopping, or
     * if jobs are overdue.
     */
    int awaitRoom() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!stopping && !hasRoom()) {
                if (withoutPlace() == 0) {
                    roomFreed.await();
                } else if (roomFreed.awaitNanos(nanosToOverdue()) <= 0 && nanosToOverdue() <= 0) {
                    return 0;
                }
            }
            return stopping ? 0 : concurrency - running + ahead - withoutPlace();
        } finally {
            lock.unlock();
        }
    }

    /** Jobs that wait are fetched in large numbers: when half of them have begun. */
    private boolean hasRoom() {
        return abandoned < MAX_ABANDONED
                && (ahead == 0 ? running + withoutPlace() < concurrency : withoutPlace() <= ahead / 2);
    }

    /** Returns the number of jobs that were taken ahead and still wait. */
    private int withoutPlace() {
        return Math.max(0, waiting.size() - starting);
    }

    private long nanosToOverdue() {
        return waiting.isEmpty() ? OVERDUE_NANOS : waiting.getLast().since() + OVERDUE_NANOS - clock.getAsLong();
    }

    /** Removes the jobs that have had no place for too long. Returns these jobs, the newest first. */
    List<TakenJob<T>> removeOverdue() {
        lock.lock();
        try {
            return nanosToOverdue() > 0 ? List.of() : removeLast(withoutPlace());
        } finally {
            lock.unlock();
        }
    }

    /** Removes all jobs that have not begun. Returns these jobs, the newest first. */
    List<TakenJob<T>> removeWaiting() {
        lock.lock();
        try {
            return removeLast(waiting.size());
        } finally {
            lock.unlock();
        }
    }

    private List<TakenJob<T>> removeLast(int number) {
        List<TakenJob<T>> jobs = new ArrayList<>(number);
        while (jobs.size() < number) {
            TakenJob<T> job = waiting.removeLast().job();
            forget(job);
            jobs.add(job);
        }
        ahead = 0;
        return jobs;
    }

    /**
     * Adds jobs that wait for a place. Occupies free places for these jobs, and returns their number: the caller starts a
     * thread for each of them.
     *
     * @param room the number of jobs that the dispatcher wanted
     */
    int admit(List<TakenJob<T>> jobs, int room) {
        lock.lock();
        try {
            boolean wasFull = full;
            full = jobs.size() >= room;
            late = false;
            if (!full) {
                ahead = 0;
            } else if (wasFull && running == 0) {
                ahead = Math.min(maxAhead, Math.max(2 * ahead, concurrency));
            }
            long now = clock.getAsLong();
            for (TakenJob<T> job : jobs) {
                waiting.add(new WaitingJob<>(job, now));
                suspects += job.suspect() ? 1 : 0;
            }
            int threads = Math.min(concurrency - running, jobs.size());
            running += threads;
            starting += threads;
            return threads;
        } finally {
            lock.unlock();
        }
    }

    /** The thread of a place could not be started. Frees the place, and returns a job that has no place. */
    Optional<TakenJob<T>> startFailed() {
        lock.lock();
        try {
            starting--;
            free();
            WaitingJob<T> last = waiting.pollLast();
            if (last == null) {
                return Optional.empty();
            }
            forget(last.job());
            return Optional.of(last.job());
        } finally {
            lock.unlock();
        }
    }

    /** Returns the first job of the thread of a place. Frees the place and returns null if no job waits. */
    @Nullable
    TakenJob<T> begin() {
        lock.lock();
        try {
            starting--;
            return nextOrFree();
        } finally {
            lock.unlock();
        }
    }

    /** A job has ended. Returns the next job of its place. Frees the place and returns null if no job waits. */
    @Nullable
    TakenJob<T> next(TakenJob<T> ended) {
        lock.lock();
        try {
            forget(ended);
            return nextOrFree();
        } finally {
            lock.unlock();
        }
    }

    private @Nullable TakenJob<T> nextOrFree() {
        WaitingJob<T> next = stopping ? null : waiting.poll();
        if (next == null) {
            free();
            return null;
        }
        if (!late && clock.getAsLong() - next.since() > MAX_WAIT_NANOS) {
            late = true;
            ahead = ahead / 2 < concurrency ? 0 : ahead / 2;
        }
        if (hasRoom()) {
            roomFreed.signal();
        }
        return next.job();
    }

    private void free() {
        running--;
        if (hasRoom()) {
            roomFreed.signal();
        }
        if (running == 0) {
            changed.signalAll();
        }
    }

    private void forget(TakenJob<T> job) {
        suspects -= job.suspect() ? 1 : 0;
    }

    /** Frees the place of a job. */
    void end(TakenJob<T> ended) {
        lock.lock();
        try {
            forget(ended);
            free();
        } finally {
            lock.unlock();
        }
    }

    /** Frees the place of a job that still runs. Returns the number of such jobs. */
    int abandon(TakenJob<T> job) {
        lock.lock();
        try {
            abandoned++;
            end(job);
            return abandoned;
        } finally {
            lock.unlock();
        }
    }

    void abandonedEnded() {
        lock.lock();
        try {
            abandoned--;
            roomFreed.signal();
        } finally {
            lock.unlock();
        }
    }

    int abandoned() {
        lock.lock();
        try {
            return abandoned;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether this worker holds a suspect. */
    boolean holdsSuspect() {
        lock.lock();
        try {
            return suspects > 0;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether jobs that were taken ahead wait for a place. */
    boolean haveJobsAhead() {
        lock.lock();
        try {
            return withoutPlace() > 0;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until no place is occupied, for at most {@code nanos}. {@link #hurry} ends the wait. */
    void awaitIdle(long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            for (long left = nanos; left > 0 && running > 0 && !hurried; ) {
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits until no place is occupied, for at most {@code nanos}. */
    void awaitInterrupted(long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            for (long left = nanos; left > 0 && running > 0; ) {
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits for {@code nanos}, or until the worker is stopping. */
    void pause(long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            for (long left = nanos; left > 0 && !stopping; ) {
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits as {@link #pause} does, and at most until a job that was taken ahead is overdue. */
    void pauseUntilOverdue(long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            pause(withoutPlace() == 0 ? nanos : Math.min(nanos, nanosToOverdue()));
        } finally {
            lock.unlock();
        }
    }

    void stop() {
        lock.lock();
        try {
            stopping = true;
            roomFreed.signal();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the wait for running jobs. */
    void hurry() {
        lock.lock();
        try {
            hurried = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    boolean isStopping() {
        lock.lock();
        try {
            return stopping;
        } finally {
            lock.unlock();
        }
    }
}
