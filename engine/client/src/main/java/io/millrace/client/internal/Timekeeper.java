// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import java.lang.System.Logger.Level;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * The one thread of a client that looks at the time: it has bytes sent that would wait for company, expires deadlines nobody
 * else watches, and ends connections that hang. While nothing is in flight, and no bulk writer is open, it sleeps.
 */
final class Timekeeper implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger("io.millrace.client");

    /** Somebody who wants to be told of the time. */
    interface Watched {

        /**
         * It is now {@code nanos}. On the timekeeper's thread; must not block, nor run code of the user.
         *
         * @return whether there is anything to watch; if not, the next call may come only after {@link Timekeeper#wake}
         */
        boolean tick(long nanos);
    }

    /** Deadlines are to be met within 10 ms; this leaves half of it to the scheduler. */
    static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** Waking this late means that the process was stopped, or the machine was. */
    private static final long OVERSLEPT_NANOS = 20 * TICK_NANOS;

    private final CopyOnWriteArrayList<Watched> watched = new CopyOnWriteArrayList<>();
    private final LongSupplier clock;
    private final Thread thread;
    /** Written by the timekeeper itself. */
    private volatile boolean asleep;

    /** Set once, by whoever closes it. */
    private volatile boolean closed;

    Timekeeper(LongSupplier clock) {
        this.clock = clock;
        thread = Thread.ofPlatform().name("millrace-timekeeper").daemon().unstarted(this::run);
        thread.start();
    }

    void watch(Watched who) {
        watched.add(who);
        wake();
    }

    void forget(Watched who) {
        watched.remove(who);
    }

    /** Says that there is something to watch again. Cheap; from any thread. */
    void wake() {
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
                // Not even memory to say so; the next tick may have it.
                asleep = false;
            }
        }
    }

    private void tickOrSleep() {
        if (tickAll()) {
            long before = System.nanoTime();
            LockSupport.parkNanos(this, TICK_NANOS);
            if (System.nanoTime() - before > OVERSLEPT_NANOS) {
                // The whole process stood still: first let the readers take what has arrived meanwhile.
                for (long until = System.nanoTime() + 4 * TICK_NANOS; System.nanoTime() < until; ) {
                    LockSupport.parkNanos(this, TICK_NANOS);
                }
            }
        } else {
            asleep = true;
            if (!tickAll() && !closed) {
                LockSupport.park(this);
            }
            asleep = false;
        }
    }

    private boolean tickAll() {
        assert thread.equals(Thread.currentThread()) : "a tick on another thread than the timekeeper";
        long now = clock.getAsLong();
        boolean busy = false;
        for (Watched who : watched) {
            busy |= tick(who, now);
        }
        return busy;
    }

    /** A failure of one, such as a lack of memory, must not stop the time for all. */
    private static boolean tick(Watched who, long now) {
        try {
            return who.tick(now);
        } catch (Throwable e) {
            LOG.log(Level.ERROR, "looking after " + who.getClass().getSimpleName() + " failed", e);
            return true;
        }
    }
}
