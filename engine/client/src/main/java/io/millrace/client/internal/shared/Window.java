// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The permits for commands and bytes in flight on one connection. Permits are granted in the order of the requests;
 * otherwise a large command would starve. Any thread may acquire and release permits.
 *
 * <pre>
 *   63            40 39                         0
 *   | commands free | bytes free                |      one long, so both are taken in one step
 * </pre>
 *
 * <p>DESIGN. While permits are free, a thread acquires them by a compare-and-set. A thread that finds no free permit
 * waits in a queue of this class. The JDK's synchronizers are not suitable, because they walk their whole queue for
 * each waiter that times out. With such a queue, a server that hung made tens of thousands of waiters time out, and the
 * timeouts came seconds after the deadlines. A waiter leaves the queue of this class in one step.
 *
 * <p>A thread waits for the lock of the queue only when it enters or leaves the queue. A thread that releases permits,
 * such as a reader, never waits for the lock. If the lock is free, this thread serves the queue: it grants permits to
 * the first waiters. If the lock is held, the holder serves the queue again after unlocking.
 *
 * <p>A connection to a node of a cluster has a reserve: twice as many permits. Callers acquire permits only while more than the
 * reserve is free. Submissions of fences take permits of the reserve, too, so callers that wait for permits do not stop them.
 *
 * <p>No waiter is missed. A thread that releases permits first adds to {@link #free}, and then reads {@link
 * #firstCost}. A thread that enters the queue first writes {@link #firstCost}, and then reads {@link #free}. Both
 * fields are volatile, so at least one of the two threads sees the write of the other thread.
 */
final class Window {

    /** Maximum number of commands that can be counted. */
    static final int MAX_COMMANDS = (1 << 23) - 1;

    /** Maximum number of bytes that can be counted. */
    static final long MAX_BYTES = (1L << 40) - 1;

    private static final int BYTE_BITS = 40;

    /** Maximum number of waiters that one thread wakes; the woken threads wake the next waiters. */
    private static final int WAKE_BATCH = 32;

    private final int commands;
    private final long bytes;

    /** The permits that only {@link #tryAcquireReserved} takes; 0 without a reserve. */
    private final long reserve;

    private final LongSupplier clock;
    private final AtomicLong free;

    /** Held for a few steps to change the queue. */
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private @Nullable Waiter first;
    private @Nullable Waiter last;

    /** The permits that the first thread in the queue waits for; 0 if the queue is empty. Written under the lock. */
    private volatile long firstCost;

    /** Length of the queue. Written under the lock. */
    private volatile int waiting;

    /**
     * Creates a window with all permits free, and without a reserve.
     *
     * @param clock nanoseconds that never decrease
     */
    Window(int commands, long bytes, LongSupplier clock) {
        this(commands, bytes, false, clock);
    }

    /**
     * Creates a window with all permits free.
     *
     * @param hasReserve whether there is a reserve of the same size
     * @param clock nanoseconds that never decrease
     */
    Window(int commands, long bytes, boolean hasReserve, LongSupplier clock) {
        this.commands = commands;
        this.bytes = bytes;
        this.reserve = hasReserve
                ? packed(Math.min(commands, MAX_COMMANDS - commands), Math.min(bytes, MAX_BYTES - bytes))
                : 0;
        this.clock = clock;
        this.free = new AtomicLong(packed(commands, bytes) + reserve);
    }

    /**
     * Returns the cost of a submission of this size: the permits that it must acquire. A submission that is larger than
     * the window takes all permits, and is sent alone.
     */
    long cost(int ofCommands, long ofBytes) {
        return packed(Math.min(ofCommands, commands), Math.min(ofBytes, bytes));
    }

    /** Acquires {@code cost} if these permits are free and no thread waits. */
    boolean tryAcquire(long cost) {
        return firstCost == 0 && take(cost, reserve);
    }

    /**
     * Acquires {@code cost}, also from the reserve, and although threads wait. The threads that wait cannot take the reserve, so
     * this method succeeds again as soon as the submissions that hold the reserve have ended.
     */
    boolean tryAcquireReserved(long cost) {
        return take(cost, 0);
    }

    /**
     * Acquires {@code cost}; waits for {@code nanos} at most. Returns false if the permits are not free in time.
     *
     * @throws InterruptedException if the thread is interrupted while it waits; no permits are acquired then
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
        long deadline = clock.getAsLong() + nanos;
        Waiter waiter = new Waiter(Thread.currentThread(), cost);
        enqueue(waiter);
        boolean interrupted = false;
        for (long left = nanos; !waiter.served && left > 0 && !interrupted; left = deadline - clock.getAsLong()) {
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

    /** Releases the permits of one or more submissions; {@code cost} is the sum of their costs. Does not wait. */
    void release(long cost) {
        if (cost != 0) {
            free.getAndAdd(cost);
            serve();
        }
    }

    /** Number of permits for commands, with the reserve. */
    int mostCommands() {
        return commands + (int) (reserve >>> BYTE_BITS);
    }

    int commandsInFlight() {
        return mostCommands() - (int) (free.get() >>> BYTE_BITS);
    }

    long bytesInFlight() {
        return bytes + (reserve & MAX_BYTES) - (free.get() & MAX_BYTES);
    }

    int waiting() {
        return waiting;
    }

    /** Acquires {@code cost} if at least the permits {@code left} are free afterwards. */
    private boolean take(long cost, long left) {
        while (true) {
            long now = free.get();
            if (!fits(cost + left, now)) {
                return false;
            }
            if (free.compareAndSet(now, now - cost)) {
                return true;
            }
        }
    }

    private static boolean fits(long cost, long free) {
        return free >>> BYTE_BITS >= cost >>> BYTE_BITS && (free & MAX_BYTES) >= (cost & MAX_BYTES);
    }

    private static long packed(int commands, long bytes) {
        return (long) commands << BYTE_BITS | bytes;
    }

    // The queue.

    /** A waiting thread. */
    private static final class Waiter {

        final Thread thread;
        final long cost;

        /** Whether another thread has acquired the permits for this waiter. Written under the lock. */
        volatile boolean served;

        // Guarded by the lock.
        @Nullable
        Waiter previous;

        @Nullable
        Waiter next;

        Waiter(Thread thread, long cost) {
            this.thread = thread;
            this.cost = cost;
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // written under the lock
    private void enqueue(Waiter waiter) {
        lock.lock();
        try {
            Waiter end = last;
            if (end == null) {
                first = waiter;
                firstCost = waiter.cost;
            } else {
                waiter.previous = end;
                end.next = waiter;
            }
            last = waiter;
            waiting++;
        } finally {
            lock.unlock();
        }
        serve();
    }

    /**
     * Removes {@code waiter} from the queue, and grants free permits to the first waiters. Returns false if {@code
     * waiter} already has its permits.
     */
    private boolean leave(Waiter waiter) {
        boolean queued = !waiter.served;
        if (queued) {
            lock.lock();
            try {
                queued = !waiter.served;
                if (queued) {
                    remove(waiter);
                }
            } finally {
                lock.unlock();
            }
        }
        serve();
        return queued;
    }

    /** Acquires permits for the first waiters, as long as enough permits are free. Does not wait. */
    private void serve() {
        int served = 0;
        while (served < WAKE_BATCH && firstFits() && lock.tryLock()) {
            try {
                for (Waiter next = first;
                        next != null && served < WAKE_BATCH && take(next.cost, reserve);
                        next = first) {
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
        return cost != 0 && fits(cost + reserve, free.get());
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // written under the lock
    private void remove(Waiter waiter) {
        Waiter previous = waiter.previous;
        Waiter next = waiter.next;
        if (previous == null) {
            first = next;
            firstCost = next == null ? 0 : next.cost;
        } else {
            previous.next = next;
        }
        if (next == null) {
            last = previous;
        } else {
            next.previous = previous;
        }
        waiting--;
    }
}
