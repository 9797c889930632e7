// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

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

    private final Runnable check;
    private final long intervalNanos;
    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition stopRequested = lock.newCondition();

    /** The lock guards this field. */
    private boolean stopping;

    /** Creates a timer that calls {@code check} about ten times in {@code shortest}, but at least once a second. */
    JobTimer(String queue, Duration shortest, Runnable check) {
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
                check.run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // no code interrupts this thread
        } finally {
            lock.unlock();
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
