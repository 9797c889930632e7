// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A latch under the control of a schedule. Woven code creates this latch in place of a {@link CountDownLatch}. */
public final class ScheduledLatch extends CountDownLatch {

    private long count;

    public ScheduledLatch(int count) {
        super(count);
        this.count = count;
    }

    @Override
    public void await() throws InterruptedException {
        ScheduledThread.required().awaitInterruptibly(() -> count == 0, Scheduler.NEVER, false);
    }

    @Override
    public boolean await(long time, TimeUnit unit) throws InterruptedException {
        ScheduledThread me = ScheduledThread.required();
        me.awaitInterruptibly(() -> count == 0, me.scheduler.after(Math.max(0, unit.toNanos(time))), false);
        return count == 0;
    }

    @Override
    public void countDown() {
        count = Math.max(0, count - 1);
    }

    @Override
    public long getCount() {
        return count;
    }

    @Override
    public String toString() {
        return "latch, count=" + count;
    }
}
