// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One thread of a schedule: the condition it waits for, its parking permit and its interrupt status.
 *
 * <p>Only the thread that has the baton accesses the fields, except {@code hasBaton}, which hands the baton over.
 */
final class ScheduledThread {

    private static final ThreadLocal<@Nullable ScheduledThread> CURRENT = new ThreadLocal<>();

    final Scheduler scheduler;
    final int index;
    final String name;

    /** Position of the thread in woven code: the access that the thread makes when it runs again. */
    int site = PointSites.START;

    long priority;
    boolean started;
    boolean ended;
    boolean interrupted;

    /**
     * Depth of nested static initializers. The JVM locks a class during its initialization, so no other thread may run
     * until the initializer has ended.
     */
    int noSwitchDepth;

    /** Number of points that have thrown {@link ScheduleAbandoned} on this thread, so that its stack unwinds. */
    int unwindAttempts;

    private final Thread thread;
    private @Nullable BooleanSupplier ready;
    private long deadline = Scheduler.NEVER;
    private boolean mayWakeSpuriously;
    private boolean wakesSpuriously;
    private boolean permit;
    private boolean launched;
    private volatile boolean hasBaton;

    ScheduledThread(Scheduler scheduler, int index, String name, Schedule.Body body) {
        this.scheduler = scheduler;
        this.index = index;
        this.name = name;
        this.thread = Thread.ofVirtual().name(name).unstarted(() -> live(body));
    }

    /** The scheduled thread that is calling; null outside of schedules. */
    static @Nullable ScheduledThread current() {
        return CURRENT.get();
    }

    /** The task of the calling thread. */
    static ScheduledThread required() {
        ScheduledThread current = CURRENT.get();
        if (current == null) {
            throw new IllegalStateException("instrumented code runs on a thread outside of all schedules: name="
                    + Thread.currentThread().getName() + ". Start the threads of a scenario in instrumented code.");
        }
        return current;
    }

    Thread thread() {
        return thread;
    }

    boolean isLive() {
        return started && !ended;
    }

    /** Passes the baton to this scheduled thread. */
    void resume() {
        if (launched) {
            hasBaton = true;
            LockSupport.unpark(thread);
        } else {
            launched = true;
            thread.start();
        }
    }

    /** Waits for the baton. Called by this scheduled thread only. */
    void suspend() {
        while (!hasBaton) {
            LockSupport.park(this);
            // The field {@code interrupted} holds the schedule's interrupts. A real interrupt would make every later
            // park return at once.
            Thread.interrupted();
        }
        hasBaton = false;
    }

    /** Waits until {@code condition} is true. The thread that has the baton evaluates the condition. */
    void await(BooleanSupplier condition) {
        await(condition, Scheduler.NEVER, false);
    }

    /**
     * Waits until {@code condition} is true or the deadline has passed. If {@code maybeSpuriously}, a spurious wakeup
     * may also end the wait. The caller checks the reason.
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
