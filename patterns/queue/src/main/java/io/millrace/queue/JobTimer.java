// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The thread that checks the run times of the jobs of a worker. It is a platform thread, because jobs that compute on
 * virtual threads can occupy all carrier threads.
 */
final class JobTimer implements Runnable {

    private static final long MIN_INTERVAL_NANOS = 5_000_000;
    private static final long MAX_INTERVAL_NANOS = 1_000_000_000;

    private final String queue;
    private final Runnable check;
    private final long intervalNanos;
    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition stopRequested = lock.newCondition();

    /** The lock guards this field. */
    private boolean stopping;

    /** Whether the last check failed. Only the thread of the timer accesses this field. */
    private boolean failing;

    /** Creates a timer that calls {@code check} about ten times in {@code shortest}, but at least once a second. */
    JobTimer(String queue, Duration shortest, Runnable check) {
        this.queue = queue;
        this.check = check;
        this.intervalNanos = Math.clamp(shortest.toNanos() / 10, MIN_INTERVAL_NANOS, MAX_INTERVAL_NANOS);
        this.thread = Thread.ofPlatform()
                .daemon()
                .inheritInheritableThreadLocals(false)
                .name("millrace-job-timer-" + queue)
                .unstarted(this);
    }

    void start() {
        thread.start();
    }

    @Override
    public void run() {
        lock.lock();
        try {
            while (!stopping) {
                long unused = stopRequested.awaitNanos(intervalNanos);
                checkOnce();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // no code interrupts this thread
        } finally {
            lock.unlock();
        }
    }

    /** A failed check does not end the thread: without it, no job would be interrupted any more. */
    private void checkOnce() {
        try {
            check.run();
            failing = false;
        } catch (Throwable e) {
            if (!failing) {
                QueueLog.log(
                        Level.ERROR,
                        "the run times of jobs could not be checked, and are checked again: queue=" + queue
                                + ". Report this failure, and restart the process if the memory was full.",
                        e);
            }
            failing = true;
        }
    }

    void stop() {
        lock.lock();
        try {
            stopping = true;
            stopRequested.signal();
        } finally {
            lock.unlock();
        }
    }
}
