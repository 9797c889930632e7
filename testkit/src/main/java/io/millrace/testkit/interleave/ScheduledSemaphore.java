// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * A semaphore under the control of a schedule. Woven code creates this semaphore in place of a {@link Semaphore}. The
 * seed decides which waiting thread receives permits next, even if the code requested a fair semaphore.
 */
public final class ScheduledSemaphore extends Semaphore {

    private static final long serialVersionUID = 1;

    private int permits;

    public ScheduledSemaphore(int permits) {
        super(permits);
        this.permits = permits;
    }

    public ScheduledSemaphore(int permits, boolean fair) {
        super(permits, fair);
        this.permits = permits;
    }

    @Override
    public void acquire() throws InterruptedException {
        acquire(1);
    }

    @Override
    public void acquire(int wanted) throws InterruptedException {
        ScheduledThread.required().awaitInterruptibly(() -> permits >= wanted, Scheduler.NEVER, false);
        permits -= wanted;
    }

    @Override
    public void acquireUninterruptibly() {
        acquireUninterruptibly(1);
    }

    @Override
    public void acquireUninterruptibly(int wanted) {
        ScheduledThread.required().await(() -> permits >= wanted);
        permits -= wanted;
    }

    @Override
    public boolean tryAcquire() {
        return tryAcquire(1);
    }

    @Override
    public boolean tryAcquire(int wanted) {
        boolean enough = permits >= wanted;
        permits -= enough ? wanted : 0;
        return enough;
    }

    @Override
    public boolean tryAcquire(long time, TimeUnit unit) throws InterruptedException {
        return tryAcquire(1, time, unit);
    }

    @Override
    public boolean tryAcquire(int wanted, long time, TimeUnit unit) throws InterruptedException {
        ScheduledThread me = ScheduledThread.required();
        me.awaitInterruptibly(() -> permits >= wanted, me.scheduler.after(Math.max(0, unit.toNanos(time))), false);
        return tryAcquire(wanted);
    }

    @Override
    public void release() {
        release(1);
    }

    @Override
    public void release(int returned) {
        permits += returned;
    }

    @Override
    public int availablePermits() {
        return permits;
    }

    @Override
    public int drainPermits() {
        int all = permits;
        permits = 0;
        return all;
    }

    @Override
    public String toString() {
        return "semaphore, permits=" + permits;
    }
}
