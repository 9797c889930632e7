// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A job that occupies a place of the worker. Thread-safe. */
final class RunningJob<T> {

    /** Why the worker interrupted the thread of the job. */
    enum Interruption {
        NONE,
        TIMEOUT,
        SHUTDOWN
    }

    private final TakenJob<T> taken;
    private final ReentrantLock lock = new ReentrantLock();

    // The lock guards all fields below.
    private @Nullable Thread thread;
    private @Nullable Job<T> job;
    private long beganAt;
    private long interruptedAt;
    private Interruption interruption = Interruption.NONE;
    private boolean settled;
    private boolean abandoned;

    /** The acknowledgement of the job while its thread calls the handler of dead jobs, otherwise null. */
    private @Nullable Acknowledgement dead;

    /** The current thread begins the job. */
    RunningJob(TakenJob<T> taken, long now) {
        this.taken = taken;
        this.thread = Thread.currentThread();
        this.beganAt = now;
    }

    TakenJob<T> taken() {
        return taken;
    }

    void decoded(Job<T> value) {
        lock.lock();
        try {
            job = value;
        } finally {
            lock.unlock();
        }
    }

    /** The decoded job. Null if the payload is not decoded yet. */
    @Nullable
    Job<T> job() {
        lock.lock();
        try {
            return job;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The last attempt has failed, and the current thread calls the handler of dead jobs. Until {@link #end}, the worker
     * may interrupt the thread again. Returns false if another thread has settled the job.
     */
    boolean beginDeadCall(Acknowledgement acknowledgement, long now) {
        lock.lock();
        try {
            if (settled) {
                return false;
            }
            thread = Thread.currentThread();
            dead = acknowledgement;
            beganAt = now;
            interruption = Interruption.NONE;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the acknowledgement of a job whose last attempt has failed. Null if the job is not known to be dead. */
    @Nullable
    Acknowledgement dead() {
        lock.lock();
        try {
            return dead;
        } finally {
            lock.unlock();
        }
    }

    /** The job has returned. The worker does not interrupt its thread any more. */
    Interruption end() {
        lock.lock();
        try {
            thread = null;
            return interruption;
        } finally {
            lock.unlock();
        }
    }

    /** Interrupts the thread of the job if it runs and was not interrupted before. Returns whether it was interrupted. */
    boolean interrupt(Interruption reason, long now) {
        lock.lock();
        try {
            if (thread == null || interruption != Interruption.NONE) {
                return false;
            }
            interruption = reason;
            interruptedAt = now;
            thread.interrupt();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns whether the job runs for at least {@code timeout}, or its call of the handler of dead jobs for at least
     * {@code grace}, without an interrupt.
     */
    boolean runsTooLong(long timeout, long grace, long now) {
        lock.lock();
        try {
            return thread != null
                    && interruption == Interruption.NONE
                    && now - beganAt >= (dead == null ? timeout : grace);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Abandons the job if it still runs this long after the interrupt because of its timeout. Returns whether the caller
     * must settle the job.
     */
    boolean abandonIfInterruptIgnored(long nanos, long now) {
        lock.lock();
        try {
            boolean ignored = thread != null && interruption == Interruption.TIMEOUT && now - interruptedAt >= nanos;
            return ignored && claim(false);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns true for the first caller, which must then settle the job. {@code byItself} is true for the thread of the
     * job. If the first caller is another thread and the job still runs, the job is abandoned.
     */
    boolean claim(boolean byItself) {
        lock.lock();
        try {
            if (settled) {
                return false;
            }
            settled = true;
            abandoned = !byItself && thread != null;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the thread of the job ends the process: it is in {@code System.exit} or {@code Runtime.exit}. */
    boolean endsProcess() {
        lock.lock();
        try {
            return thread != null
                    && Arrays.stream(thread.getStackTrace())
                            .anyMatch(frame -> frame.getClassName().equals(Runtime.class.getName())
                                    && frame.getMethodName().equals("exit"));
        } finally {
            lock.unlock();
        }
    }

    boolean isAbandoned() {
        lock.lock();
        try {
            return abandoned;
        } finally {
            lock.unlock();
        }
    }
}
