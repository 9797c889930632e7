// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.util.ArrayDeque;
import java.util.Date;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A lock under the control of a schedule. Woven code creates this lock in place of a {@link ReentrantLock}. It extends
 * {@link ReentrantLock}, because the code under test declares its locks with this type. The seed decides which waiting
 * thread acquires the lock next, even if the code requested a fair lock.
 */
public final class ScheduledLock extends ReentrantLock {

    private static final long serialVersionUID = 1;

    private transient @Nullable ScheduledThread owner;
    private transient int holds;

    public ScheduledLock() {}

    public ScheduledLock(boolean fair) {
        super(fair);
    }

    @Override
    public void lock() {
        ScheduledThread me = ScheduledThread.required();
        me.await(() -> isFreeFor(me));
        take(me, 1);
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        ScheduledThread me = ScheduledThread.required();
        me.awaitInterruptibly(() -> isFreeFor(me), Scheduler.NEVER, false);
        take(me, 1);
    }

    @Override
    public boolean tryLock() {
        ScheduledThread me = ScheduledThread.required();
        boolean free = isFreeFor(me);
        if (free) {
            take(me, 1);
        }
        return free;
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        ScheduledThread me = ScheduledThread.required();
        me.awaitInterruptibly(() -> isFreeFor(me), me.scheduler.after(Math.max(0, unit.toNanos(time))), false);
        return tryLock();
    }

    @Override
    public void unlock() {
        refuseUnlessHeld();
        holds--;
        if (holds == 0) {
            owner = null;
        }
    }

    @Override
    public Condition newCondition() {
        return new Waiters();
    }

    @Override
    public boolean isLocked() {
        return owner != null;
    }

    @Override
    public boolean isHeldByCurrentThread() {
        return owner == ScheduledThread.current();
    }

    @Override
    public int getHoldCount() {
        return isHeldByCurrentThread() ? holds : 0;
    }

    @Override
    public String toString() {
        return "lock, owner=" + (owner == null ? "none" : owner.name);
    }

    private boolean isFreeFor(ScheduledThread me) {
        return owner == null || owner == me;
    }

    private void take(ScheduledThread me, int more) {
        owner = me;
        holds += more;
    }

    private void refuseUnlessHeld() {
        if (owner != ScheduledThread.required()) {
            throw new IllegalMonitorStateException();
        }
    }

    /** One waiting thread. */
    private static final class Waiter {

        private boolean signalled;
    }

    /** A condition of the lock, with its waiting threads. A signal wakes the thread that has waited longest. */
    private final class Waiters implements Condition {

        private final Deque<Waiter> waiting = new ArrayDeque<>();

        @Override
        public void await() throws InterruptedException {
            waitFor(Scheduler.NEVER, true);
        }

        @Override
        public void awaitUninterruptibly() {
            try {
                waitFor(Scheduler.NEVER, false);
            } catch (InterruptedException e) {
                throw new AssertionError("an interrupt must not end awaitUninterruptibly", e);
            }
        }

        @Override
        public long awaitNanos(long nanos) throws InterruptedException {
            Scheduler scheduler = ScheduledThread.required().scheduler;
            long until = scheduler.after(Math.max(0, nanos));
            waitFor(until, true);
            return until - scheduler.now();
        }

        @Override
        @SuppressWarnings("WaitNotInLoop") // the caller of this method has the loop
        public boolean await(long time, TimeUnit unit) throws InterruptedException {
            return awaitNanos(unit.toNanos(time)) > 0;
        }

        @Override
        public boolean awaitUntil(Date deadline) {
            throw new UnsupportedOperationException(
                    "a scheduled thread cannot wait until a date. Wait for a duration.");
        }

        @Override
        public void signal() {
            refuseUnlessHeld();
            Waiter oldest = waiting.poll();
            if (oldest != null) {
                oldest.signalled = true;
            }
        }

        @Override
        public void signalAll() {
            refuseUnlessHeld();
            waiting.forEach(waiter -> waiter.signalled = true);
            waiting.clear();
        }

        private void waitFor(long until, boolean interruptibly) throws InterruptedException {
            refuseUnlessHeld();
            ScheduledThread me = ScheduledThread.required();
            if (interruptibly) {
                me.throwIfInterrupted();
            }
            Waiter waiter = new Waiter();
            waiting.add(waiter);
            int held = holds;
            owner = null;
            holds = 0;
            me.await(() -> waiter.signalled || (interruptibly && me.interrupted), until, true);
            waiting.remove(waiter);
            me.await(() -> isFreeFor(me));
            take(me, held);
            if (interruptibly && !waiter.signalled) {
                me.throwIfInterrupted();
            }
        }
    }
}
