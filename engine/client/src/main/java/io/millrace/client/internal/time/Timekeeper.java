// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.time;

import io.millrace.client.internal.log.ClientLog;
import io.millrace.client.internal.thread.ClientThreads;
import java.lang.System.Logger.Level;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * The one thread of a client that checks the time: it requests writes that are delayed for batching, ends commands that
 * are overdue, and ends connections whose server hangs. It sleeps while nothing is in flight and no bulk writer is
 * open; then it only wakes when an idle connection of the pool must be closed.
 */
public final class Timekeeper implements AutoCloseable {

    /** An object that is checked at each tick. */
    public interface Ticking {

        /**
         * Does the work that is due at time {@code nanos}. Runs on the timekeeper's thread; must not block or run user
         * code.
         *
         * @return whether the next tick must check the object again; if not, the next call may follow only after {@link
         *     Timekeeper#wake}, or after {@link #sleepNanos}
         */
        boolean tick(long nanos);

        /**
         * Time in nanoseconds until the next necessary check, if the last {@link #tick} returned false. Runs on the
         * timekeeper's thread; must not block. The default is no check without {@link Timekeeper#wake}.
         */
        default long sleepNanos() {
            return Long.MAX_VALUE;
        }
    }

    /** A command should time out at most 10 ms after its deadline. A tick of 5 ms leaves 5 ms for the scheduler. */
    public static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** If the time between two ticks is longer than this, the process or the machine was probably suspended. */
    private static final long SUSPENDED_NANOS = 20 * TICK_NANOS;

    private final CopyOnWriteArrayList<Ticking> watched = new CopyOnWriteArrayList<>();
    private final LongSupplier clock;
    private final Thread thread;
    /** Whether the thread sleeps until {@link #wake}. Written by the timekeeper's thread. */
    private volatile boolean asleep;

    /** Set to true by the thread that closes the timekeeper; never reset. */
    private volatile boolean closed;

    public Timekeeper(LongSupplier clock) {
        this.clock = clock;
        thread = ClientThreads.platform("millrace-timekeeper", this::run);
        thread.start();
    }

    /** The clock of the ticks, in nanoseconds that never decrease. */
    public LongSupplier clock() {
        return clock;
    }

    public void watch(Ticking target) {
        watched.add(target);
        wake();
    }

    public void forget(Ticking target) {
        watched.remove(target);
    }

    /** Wakes the timekeeper if it sleeps. Fast; called by any thread. */
    public void wake() {
        if (asleep) {
            LockSupport.unpark(thread);
        }
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }

    private void run() {
        while (!closed) {
            try {
                tickOrSleep();
            } catch (Throwable e) {
                // This failure is not logged, because there may be too little memory. Continue, because the next tick
                // may succeed.
                asleep = false;
            }
        }
    }

    private void tickOrSleep() {
        if (tickAll()) {
            long before = clock.getAsLong();
            LockSupport.parkNanos(this, TICK_NANOS);
            if (clock.getAsLong() - before > SUSPENDED_NANOS) {
                letReadersCatchUp();
            }
        } else {
            asleep = true;
            if (!tickAll() && !closed) {
                LockSupport.parkNanos(this, sleepNanos());
            }
            asleep = false;
        }
    }

    /**
     * Waits for four ticks after the whole process was suspended, so that readers first read the replies that have
     * arrived. The number of ticks is fixed, because an injected clock may stand still.
     */
    private void letReadersCatchUp() {
        for (int i = 0; i < 4 && !closed; i++) {
            LockSupport.parkNanos(this, TICK_NANOS);
        }
    }

    private long sleepNanos() {
        long nanos = Long.MAX_VALUE;
        for (Ticking target : watched) {
            nanos = Math.min(nanos, target.sleepNanos());
        }
        return nanos;
    }

    private boolean tickAll() {
        assert thread.equals(Thread.currentThread()) : "only the thread of the timekeeper may call tickAll()";
        long now = clock.getAsLong();
        boolean busy = false;
        for (Ticking target : watched) {
            busy |= tick(target, now);
        }
        return busy;
    }

    /**
     * Calls one watched object. If the call fails, such as by a lack of memory, the other watched objects must still be
     * called.
     */
    private static boolean tick(Ticking target, long now) {
        try {
            return target.tick(now);
        } catch (Throwable e) {
            ClientLog.logger()
                    .log(Level.ERROR, "the tick of " + target.getClass().getSimpleName() + " failed", e);
            return true;
        }
    }
}
