// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One thread of a schedule: what it waits for, its parking permit, whether it was interrupted.
 *
 * <p>All fields but {@code granted} belong to whoever holds the baton, which is passed on through {@code granted}.
 */
final class Task {

    private static final ThreadLocal<@Nullable Task> CURRENT = new ThreadLocal<>();

    final Scheduler scheduler;
    final int index;
    final String name;

    /** Where it stands: the access that it makes when it goes on. */
    int site = Sites.START;

    long priority;
    boolean started;
    boolean ended;
    boolean interrupted;

    /** Depth of static initializers: the JVM locks a class that is being initialized, so nobody else may go on meanwhile. */
    int uninterleaved;

    /** How often an end was asked of it. */
    int refusals;

    private final Thread thread;
    private @Nullable BooleanSupplier ready;
    private long deadline = Scheduler.NEVER;
    private boolean mayWakeSpuriously;
    private boolean wakesSpuriously;
    private boolean permit;
    private boolean launched;
    private volatile boolean granted;

    Task(Scheduler scheduler, int index, String name, Schedule.Body body) {
        this.scheduler = scheduler;
        this.index = index;
        this.name = name;
        this.thread = Thread.ofVirtual().name(name).unstarted(() -> live(body));
    }

    /** The task that the calling thread is; null outside of schedules. */
    static @Nullable Task current() {
        return CURRENT.get();
    }

    /** The task that the calling thread is. */
    static Task required() {
        Task current = CURRENT.get();
        if (current == null) {
            throw new IllegalStateException("instrumented code runs on a thread that no schedule knows: name="
                    + Thread.currentThread().getName() + ". Start its threads in instrumented code.");
        }
        return current;
    }

    Thread thread() {
        return thread;
    }

    boolean isLive() {
        return started && !ended;
    }

    /** Lets it run; the caller no longer has the baton. */
    void resume() {
        if (launched) {
            granted = true;
            LockSupport.unpark(thread);
        } else {
            launched = true;
            thread.start();
        }
    }

    /** Waits for the baton; by this task only. */
    void suspend() {
        while (!granted) {
            LockSupport.park(this);
            // Interrupts of the schedule are the field's. One from elsewhere would make parking return for ever.
            Thread.interrupted();
        }
        granted = false;
    }

    /** Waits until {@code condition}, which is evaluated by whichever thread decides who goes on. */
    void await(BooleanSupplier condition) {
        await(condition, Scheduler.NEVER, false);
    }

    /** Waits until {@code condition}, or the deadline, or, if it may be, nothing at all; the caller looks which. */
    void await(BooleanSupplier condition, long until, boolean maybeSpuriously) {
        if (condition.getAsBoolean()) {
            return;
        }
        ready = condition;
        deadline = until;
        mayWakeSpuriously = maybeSpuriously;
        try {
            scheduler.yieldTo(this, false);
        } finally {
            ready = null;
            deadline = Scheduler.NEVER;
            mayWakeSpuriously = false;
            wakesSpuriously = false;
        }
    }

    /** The same, ended by an interrupt too. */
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
        return (canRun(now) ? "runnable" : "waiting") + " at " + Sites.text(site);
    }

    private void live(Schedule.Body body) {
        CURRENT.set(this);
        try {
            if (!scheduler.isFailed()) {
                body.run();
            }
        } catch (Abandoned e) {
            // The failure is known.
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
