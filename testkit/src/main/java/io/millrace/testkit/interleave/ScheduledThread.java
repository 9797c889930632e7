// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One thread of a schedule. The object holds the condition that the thread waits for, its park permit and its interrupt
 * status.
 *
 * <p>Only the thread that has the baton reads and writes the fields. The exception is {@code hasBaton}: another thread
 * sets this field to pass the baton.
 */
final class ScheduledThread {

    private static final ThreadLocal<@Nullable ScheduledThread> CURRENT = new ThreadLocal<>();

    final Scheduler scheduler;
    final int index;
    final String name;

    /** Whether the code under test sees a virtual thread. The real thread is always virtual. */
    final boolean virtual;

    /**
     * The site at which the thread stopped last. When the thread runs again, it continues with the access of this site.
     */
    int site = PointSites.START;

    long priority;
    boolean started;
    boolean ended;
    boolean interrupted;

    /**
     * Number of nested calls that forbid a switch to another thread: static initializers, and map methods that call a
     * function. Both run under a lock that the schedule does not control. While the number is above 0, no other thread
     * may run.
     */
    int noSwitchDepth;

    /**
     * Number of schedule points that have thrown {@link ScheduleAbandoned} on this thread after the schedule failed.
     */
    int unwindAttempts;

    private final Thread thread;
    private @Nullable BooleanSupplier ready;
    private long deadline = Scheduler.NEVER;
    private boolean mayWakeSpuriously;
    private boolean wakesSpuriously;
    private boolean permit;
    private boolean launched;
    private volatile boolean hasBaton;

    ScheduledThread(Scheduler scheduler, int index, String name, boolean virtual, Schedule.Body body) {
        this.scheduler = scheduler;
        this.index = index;
        this.name = name;
        this.virtual = virtual;
        this.thread = Thread.ofVirtual().name(name).unstarted(() -> live(body));
    }

    /** The scheduled thread of the caller; null if the caller belongs to no schedule. */
    static @Nullable ScheduledThread current() {
        return CURRENT.get();
    }

    /** The scheduled thread of the caller. Throws an exception if the caller belongs to no schedule. */
    static ScheduledThread required() {
        ScheduledThread current = CURRENT.get();
        if (current == null) {
            throw new IllegalStateException(
                    "instrumented code was called on a thread that belongs to no schedule: name="
                            + Thread.currentThread().getName()
                            + ". Only instrumented code may start the threads of a scenario.");
        }
        return current;
    }

    Thread thread() {
        return thread;
    }

    boolean isLive() {
        return started && !ended;
    }

    /** Passes the baton to this thread, so that it runs. */
    void resume() {
        if (launched) {
            hasBaton = true;
            LockSupport.unpark(thread);
        } else {
            launched = true;
            thread.start();
        }
    }

    /** Waits until another thread passes the baton to this thread. Only this thread calls this method. */
    void suspend() {
        while (!hasBaton) {
            LockSupport.park(this);
            // Clear the interrupt status of the real thread, because with this status every later park would return at
            // once. The interrupts of the schedule are in the field {@code interrupted}.
            Thread.interrupted();
        }
        hasBaton = false;
    }

    /**
     * Waits until {@code condition} is true. While this thread waits, the thread with the baton evaluates the
     * condition.
     */
    void await(BooleanSupplier condition) {
        await(condition, Scheduler.NEVER, false);
    }

    /**
     * Waits until {@code condition} is true or the deadline {@code until} has passed. If {@code maybeSpuriously} is
     * true, the wait may also end when neither has happened. So the caller must check why the wait ended.
     */
    void await(BooleanSupplier condition, long until, boolean maybeSpuriously) {
        if (condition.getAsBoolean()) {
            return;
        }
        ready = condition;
        deadline = until;
        mayWakeSpuriously = maybeSpuriously;
        try {
            scheduler.switchThread(this, false);
        } finally {
            ready = null;
            deadline = Scheduler.NEVER;
            mayWakeSpuriously = false;
            wakesSpuriously = false;
        }
    }

    /** Same as {@link #await(BooleanSupplier, long, boolean)}, but an interrupt also ends the wait. */
    void awaitInterruptibly(BooleanSupplier condition, long until, boolean maybeSpuriously)
            throws InterruptedException {
        throwIfInterrupted();
        await(() -> interrupted || condition.getAsBoolean(), until, maybeSpuriously);
        if (!condition.getAsBoolean()) {
            throwIfInterrupted();
        }
    }

    void throwIfInterrupted() throws InterruptedException {
        if (clearInterrupt()) {
            throw new InterruptedException();
        }
    }

    boolean clearInterrupt() {
        boolean was = interrupted;
        interrupted = false;
        return was;
    }

    void park(long until) {
        await(() -> permit || interrupted, until, true);
        permit = false;
    }

    void unpark() {
        permit = true;
    }

    boolean canRun(long now) {
        return isLive() && (ready == null || wakesSpuriously || now >= deadline || ready.getAsBoolean());
    }

    long deadline() {
        return deadline;
    }

    boolean mayWakeSpuriously() {
        return isLive() && mayWakeSpuriously;
    }

    void wakeSpuriously() {
        wakesSpuriously = true;
    }

    String state(long now) {
        if (ended) {
            return "ended";
        }
        if (!started) {
            return "not started";
        }
        return (canRun(now) ? "runnable" : "waiting") + " at " + PointSites.text(site);
    }

    private void live(Schedule.Body body) {
        CURRENT.set(this);
        try {
            if (!scheduler.isFailed()) {
                body.run();
            }
        } catch (ScheduleAbandoned e) {
            // The failure is recorded already.
        } catch (Throwable e) {
            scheduler.fail(
                    "an exception in thread " + name + ": "
                            + String.valueOf(e).lines().findFirst().orElse(""),
                    e);
        } finally {
            CURRENT.remove();
            scheduler.end(this);
        }
    }
}
