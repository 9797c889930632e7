// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The places for what is in flight on one connection, counted in commands and in bytes. First come, first served, or a large
 * command would starve. Any thread takes, any thread gives back.
 *
 * <pre>
 *   63            40 39                         0
 *   | commands free | bytes free                |      one long, so both are taken in one step
 * </pre>
 *
 * <p>DESIGN. While there are places, taking one is a compare-and-set. Who finds none stands in a line of its own: the JDK's
 * synchronizers walk their whole queue for each waiter whose time is up, and with tens of thousands of them, who all give up
 * when a server stands still, deadlines were seconds late. Leaving this line takes one step.
 *
 * <p>The line has a lock, for which only those wait who are in line or want to be. Who gives places back, such as a reader,
 * does not: it serves the line if nobody holds the lock, and whoever holds it looks again when he has let go. Who gives back
 * adds to {@link #free} and then looks at {@link #firstCost}; who stands in line writes that and then looks at what is free.
 * All of it is volatile, so nobody is forgotten.
 */
final class Window {

    /** The most commands that can be counted. */
    static final int MOST_COMMANDS = (1 << 23) - 1;

    /** The most bytes that can be counted. */
    static final long MOST_BYTES = (1L << 40) - 1;

    private static final int BYTE_BITS = 40;

    /** So many are woken by one thread; the rest by those who were woken. */
    private static final int LOT = 32;

    private final int commands;
    private final long bytes;
    private final AtomicLong free;

    /** Held for a few steps by whoever changes the line. */
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private @Nullable Waiter first;
    private @Nullable Waiter last;

    /** What the first in line wants; 0 if nobody waits. Written with the lock. */
    private volatile long firstCost;

    /** How long the line is. Written with the lock. */
    private volatile int waiting;

    Window(int commands, long bytes) {
        this.commands = commands;
        this.bytes = bytes;
        this.free = new AtomicLong(packed(commands, bytes));
    }

    /** What something of this size takes: one that is larger than the window takes all of it, and goes alone. */
    long cost(int ofCommands, long ofBytes) {
        return packed(Math.min(ofCommands, commands), Math.min(ofBytes, bytes));
    }

    /** Takes {@code cost} if it is free and nobody waits. */
    boolean tryAcquire(long cost) {
        return firstCost == 0 && take(cost);
    }

    /**
     * Takes {@code cost}, and waits for it for {@code nanos} at most.
     *
     * @throws InterruptedException if the thread is interrupted while it waits; nothing is taken then
     */
    boolean acquire(long cost, long nanos) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (tryAcquire(cost)) {
            return true;
        }
        if (nanos <= 0) {
            return false;
        }
        long deadline = System.nanoTime() + nanos;
        Waiter waiter = new Waiter(Thread.currentThread(), cost);
        standInLine(waiter);
        boolean interrupted = false;
        for (long left = nanos; !waiter.served && left > 0 && !interrupted; left = deadline - System.nanoTime()) {
            LockSupport.parkNanos(this, left);
            interrupted = Thread.interrupted();
        }
        boolean taken = !leave(waiter);
        if (interrupted) {
            release(taken ? cost : 0);
            throw new InterruptedException();
        }
        return taken;
    }

    /** Gives back a sum of costs. Does not wait. */
    void release(long cost) {
        if (cost != 0) {
            free.getAndAdd(cost);
            serve();
        }
    }

    int commandsTaken() {
        return commands - (int) (free.get() >>> BYTE_BITS);
    }

    long bytesTaken() {
        return bytes - (free.get() & MOST_BYTES);
    }

    int waiting() {
        return waiting;
    }

    private boolean take(long cost) {
        while (true) {
            long now = free.get();
            if (!fits(cost, now)) {
                return false;
            }
            if (free.compareAndSet(now, now - cost)) {
                return true;
            }
        }
    }

    private static boolean fits(long cost, long free) {
        return free >>> BYTE_BITS >= cost >>> BYTE_BITS && (free & MOST_BYTES) >= (cost & MOST_BYTES);
    }

    private static long packed(int commands, long bytes) {
        return (long) commands << BYTE_BITS | bytes;
    }

    // The line.

    /** Somebody who waits. */
    private static final class Waiter {

        final Thread thread;
        final long cost;

        /** Whether its places were taken for it. Written with the lock. */
        volatile boolean served;

        // Guarded by the lock.
        @Nullable
        Waiter before;

        @Nullable
        Waiter behind;

        Waiter(Thread thread, long cost) {
            this.thread = thread;
            this.cost = cost;
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // with the lock
    private void standInLine(Waiter waiter) {
        lock.lock();
        try {
            Waiter end = last;
            if (end == null) {
                first = waiter;
                firstCost = waiter.cost;
            } else {
                waiter.before = end;
                end.behind = waiter;
            }
            last = waiter;
            waiting++;
        } finally {
            lock.unlock();
        }
        serve();
    }

    /** Leaves the line, and lets others pass; false if {@code waiter} was served before. */
    private boolean leave(Waiter waiter) {
        boolean inLine = !waiter.served;
        if (inLine) {
            lock.lock();
            try {
                inLine = !waiter.served;
                if (inLine) {
                    remove(waiter);
                }
            } finally {
                lock.unlock();
            }
        }
        serve();
        return inLine;
    }

    /** Takes places for those who have waited longest, as far as they fit. Does not wait. */
    private void serve() {
        int served = 0;
        while (served < LOT && firstFits() && lock.tryLock()) {
            try {
                for (Waiter next = first; next != null && served < LOT && take(next.cost); next = first) {
                    remove(next);
                    next.served = true;
                    LockSupport.unpark(next.thread);
                    served++;
                }
            } finally {
                lock.unlock();
            }
        }
    }

    private boolean firstFits() {
        long cost = firstCost;
        return cost != 0 && fits(cost, free.get());
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // with the lock
    private void remove(Waiter waiter) {
        Waiter before = waiter.before;
        Waiter behind = waiter.behind;
        if (before == null) {
            first = behind;
            firstCost = behind == null ? 0 : behind.cost;
        } else {
            before.behind = behind;
        }
        if (behind == null) {
            last = before;
        } else {
            behind.before = before;
        }
        waiting--;
    }
}
