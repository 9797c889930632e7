// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.queue.OutageLog.Part;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/*
 * DESIGN
 *
 *     dispatcher:   wait for room -> fetch at most as many jobs as there is room for -> start the threads of places
 *
 * Places decides how many jobs the worker may take: as many as places are free, and more only while jobs are so short that
 * these jobs begin within a millisecond. So no worker hoards jobs. Failures of jobs do not reach the dispatcher. After a
 * failure of the server or the client, or an error such as a full heap, the dispatcher tries again with growing pauses until
 * the worker is closed. A worker whose client is closed ends.
 */

/** Takes jobs from the queue and starts them, until the worker is stopped or, if so configured, the queue is empty. */
final class Dispatcher<T> {

    private static final Duration MAX_WAIT = Duration.ofSeconds(1);
    private static final long MIN_POLL_NANOS = 1_000_000;
    private static final long MAX_POLL_NANOS = 1_000_000_000;

    private final QueueBackend<T> backend;
    private final WorkerOptions options;
    private final LeaseKeeper leaseKeeper;
    private final Acknowledger<T> acknowledger;
    private final JobRunner<T> runner;
    private final Places<T> places;
    private final StatsCounter stats;
    private final OutageLog outage;

    private final ReentrantLock lock = new ReentrantLock();

    /** The lock guards this field. The thread that runs {@link #dispatch}, as long as it may be interrupted. */
    private @Nullable Thread thread;

    /** Written by the dispatching thread. */
    private volatile boolean paused;

    // Only the dispatching thread accesses the next fields.
    private int failures;
    private int rejections;
    private long pollNanos = MIN_POLL_NANOS;

    Dispatcher(
            QueueBackend<T> backend,
            WorkerOptions options,
            LeaseKeeper leaseKeeper,
            Acknowledger<T> acknowledger,
            JobRunner<T> runner,
            Places<T> places,
            StatsCounter stats,
            OutageLog outage) {
        this.backend = backend;
        this.options = options;
        this.leaseKeeper = leaseKeeper;
        this.acknowledger = acknowledger;
        this.runner = runner;
        this.places = places;
        this.stats = stats;
        this.outage = outage;
    }

    /**
     * Dispatches jobs. Returns when the worker is stopping, or when the queue is empty and the worker ends then. The
     * interrupt flag of the thread is not set afterwards.
     *
     * @throws QueueException if the acknowledger has failed, or the client is closed
     */
    void dispatch() {
        lock.lock();
        try {
            thread = Thread.currentThread();
        } finally {
            lock.unlock();
        }
        try {
            int room = awaitRoom();
            while (room > 0 && fetch(room)) {
                room = awaitRoom();
            }
        } catch (InterruptedException | InterruptedCommandException e) {
            // interrupt() has ended a fetch that took too long
        } finally {
            lock.lock();
            try {
                thread = null;
                boolean unused = Thread.interrupted();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Ends a fetch that does not return in time, because its connection hangs. */
    void interrupt() {
        lock.lock();
        try {
            if (thread != null) {
                thread.interrupt();
            }
        } finally {
            lock.unlock();
        }
    }

    boolean isPaused() {
        return paused;
    }

    /**
     * Waits until the worker may take jobs, and returns the number of these jobs. Gives back the jobs that wait for a place
     * for too long. Returns 0 if the worker is stopping.
     */
    private int awaitRoom() throws InterruptedException {
        int room = places.awaitRoom();
        while (room == 0 && !places.isStopping()) {
            places.removeOverdue().forEach(job -> acknowledger.acknowledge(Acknowledgement.notBegun(job)));
            room = places.awaitRoom();
        }
        return room;
    }

    /** Fetches and starts jobs. Returns false if the worker is stopping, or ends because the queue is empty. */
    private boolean fetch(int room) throws InterruptedException {
        acknowledger.awaitCapacity();
        if (places.isStopping()) {
            return false;
        }
        FetchResult<T> fetched;
        boolean empty;
        try {
            leaseKeeper.renewIfLate();
            fetched = backend.fetch(room, !places.holdsSuspect(), maxWait());
            empty = options.endWhenEmpty() && fetched.isEmpty() && backend.isEmpty();
        } catch (InterruptedCommandException e) {
            throw e;
        } catch (RuntimeException
                | Error e) { // an Error is a full heap, for example: the process may outlive this state
            failed(e);
            return true;
        }
        failures = 0;
        outage.succeeded(Part.DISPATCHER);
        pausedNow(fetched.queuePaused());
        fetched.buried().forEach(runner::buried);
        stats.missing(fetched.missing());
        boolean accepted = startAll(fetched.jobs(), room);
        if (empty) {
            return false;
        }
        if (accepted) {
            pause(fetched);
        } else {
            places.pause(RetryWait.nanos(rejections++));
        }
        return true;
    }

    /** Pauses after a failed fetch. Throws an exception if the client is closed, because no call can succeed any more. */
    private void failed(Throwable failure) throws InterruptedException {
        if (backend.isClientClosed()) {
            throw QueueException.clientClosed(backend.name(), backend.worker(), failure);
        }
        outage.failed(Part.DISPATCHER, failure);
        if (failure instanceof Error) {
            backend.forgetAllExcept(Set.copyOf(acknowledger.heldIds()));
        }
        places.pause(RetryWait.nanos(failures++));
    }

    private void pausedNow(boolean now) {
        if (now != paused) {
            QueueLog.log(
                    Level.INFO,
                    (now
                                    ? "a worker takes no jobs, because its queue is paused"
                                    : "a worker takes jobs again after a pause of its queue")
                            + ": queue=" + backend.name() + ", worker=" + backend.worker());
        }
        paused = now;
    }

    /** Waits before the next fetch if the backend asks for a pause, or if the worker polls an empty queue. */
    private void pause(FetchResult<T> fetched) throws InterruptedException {
        if (!fetched.pause().isZero()) {
            places.pause(fetched.pause().toNanos());
        } else if (options.endWhenEmpty() && fetched.isEmpty()) {
            acknowledger.awaitRound(pollNanos);
            pollNanos = Math.min(2 * pollNanos, MAX_POLL_NANOS);
        } else {
            pollNanos = MIN_POLL_NANOS;
        }
    }

    /**
     * Returns the maximum time of one wait: one second, but at most a quarter of the lease. So a lost wait has ended on
     * the server before the lease ends. A worker that ends with the queue does not wait, nor a worker with jobs that
     * wait for a place and may become overdue.
     */
    private Duration maxWait() {
        if (options.endWhenEmpty() || places.haveJobsAhead()) {
            return Duration.ZERO;
        }
        Duration part = options.lease().dividedBy(4);
        return part.compareTo(MAX_WAIT) < 0 ? part : MAX_WAIT;
    }

    /** Starts jobs. Returns false if the executor has rejected one of them. */
    private boolean startAll(List<TakenJob<T>> jobs, int room) {
        List<TakenJob<T>> unknown = new ArrayList<>(jobs.size());
        for (TakenJob<T> job : jobs) {
            // A job that still runs here does not begin again; its acknowledgement counts for the new attempt.
            if (acknowledger.hold(job)) {
                unknown.add(job);
            }
        }
        stats.taken(unknown);
        boolean accepted = true;
        for (int thread = places.admit(unknown, room); thread > 0; thread--) {
            accepted &= runner.startPlace();
        }
        if (accepted && !jobs.isEmpty()) {
            rejections = 0;
        }
        return accepted;
    }
}
