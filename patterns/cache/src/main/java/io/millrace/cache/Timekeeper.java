// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls an action for each item after a fixed delay, on one daemon thread. Thread-safe.
 *
 * <p>DESIGN. The thread is a platform thread, because virtual threads that compute can occupy all carrier threads, and
 * leases and time limits must work even then. The first item starts the thread. The thread ends on {@link #close}, and
 * after a minute without items, so an idle cache has no thread.
 *
 * <p>All items have the same delay, or are due at once and then first. So a map in the order of the due times needs no
 * priority queue. Most items are removed long before they are due, so neither a removal nor an addition
 * wakes the thread: the thread sleeps until the due time of an item that was first at some time, even if this item has
 * been removed. Only an idle thread is woken, to set this time.
 *
 * @param <T> the type of the items; two items are equal only if they are the same object
 */
final class Timekeeper<T> {

    /** Longer than the pauses of a service that is in use. */
    private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final String threadName;
    private final long delayNanos;
    private final long idleNanos;
    private final LongSupplier clock;
    private final Consumer<? super List<T>> action;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // The lock guards the next four fields.
    /** The items and their due times in nanoseconds of the clock. */
    private final LinkedHashMap<T, Long> dueTimes = new LinkedHashMap<>();

    private @Nullable Thread thread;
    private boolean closed;

    /** Time at which the thread wakes without a signal. */
    private long wakesAtNanos;

    /** @param action called with all items that are due; must not throw, and delays later items while it runs */
    Timekeeper(String threadName, long delayNanos, LongSupplier clock, Consumer<? super List<T>> action) {
        this(threadName, delayNanos, IDLE_NANOS, clock, action);
    }

    /** @param idleNanos time without items after which the thread ends */
    Timekeeper(
            String threadName, long delayNanos, long idleNanos, LongSupplier clock, Consumer<? super List<T>> action) {
        this.threadName = threadName;
        this.delayNanos = delayNanos;
        this.idleNanos = idleNanos;
        this.clock = clock;
        this.action = action;
    }

    /** Adds an item, which is due after the delay. An item that is already present is due later. */
    void add(T item) {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            if (thread == null) { // start the thread first: if this fails, the item is not added
                thread = start();
            }
            long due = clock.getAsLong() + delayNanos;
            dueTimes.putLast(item, due);
            if (due - wakesAtNanos < 0) {
                changed.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Adds an item, which is due at once. Returns false, and does not add the item, if the timekeeper is closed. Does
     * not block.
     */
    boolean addDue(T item) {
        lock.lock();
        try {
            if (closed) {
                return false;
            }
            if (thread == null) {
                thread = start();
            }
            dueTimes.putFirst(item, clock.getAsLong());
            changed.signal();
            return true;
        } finally {
            lock.unlock();
        }
    }

    private Thread start() {
        return Thread.ofPlatform()
                .daemon()
                .name(threadName)
                .inheritInheritableThreadLocals(false)
                .start(this::run);
    }

    /** Removes an item. The action may nevertheless receive the item if the item is due at this moment. */
    void remove(T item) {
        lock.lock();
        try {
            dueTimes.remove(item);
        } finally {
            lock.unlock();
        }
    }

    /** Removes all items and ends the thread. Items that are added later are ignored. */
    void close() {
        List<T> unused = drain();
    }

    /** Closes this timekeeper as {@link #close} does, and returns the items that the action has not received. */
    List<T> drain() {
        lock.lock();
        try {
            closed = true;
            List<T> left = List.copyOf(dueTimes.keySet());
            dueTimes.clear();
            changed.signal();
            return left;
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        boolean ended = false;
        try {
            for (List<T> due = awaitDue(); !due.isEmpty(); due = awaitDue()) {
                action.accept(due);
            }
            ended = true;
        } finally {
            if (!ended) { // an error, such as exhausted memory
                forgetThread();
            }
        }
    }

    /** Makes the next item start a new thread. */
    private void forgetThread() {
        lock.lock();
        try {
            thread = null;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until items are due, and removes them. Returns an empty list if the thread must end. */
    private List<T> awaitDue() {
        lock.lock();
        try {
            long idleUntil = clock.getAsLong() + idleNanos;
            while (!closed) {
                long now = clock.getAsLong();
                List<T> due = takeDue(now);
                if (!due.isEmpty()) {
                    return due;
                }
                Map.Entry<T, Long> first = dueTimes.firstEntry();
                long left = (first == null ? idleUntil : first.getValue()) - now;
                if (left <= 0) {
                    break;
                }
                idleUntil = first == null ? idleUntil : first.getValue() + idleNanos;
                wakesAtNanos = now + left;
                try {
                    long unused = changed.awaitNanos(left);
                } catch (InterruptedException e) {
                    // An interrupt has no meaning for this thread. The flag is cleared, so the next wait blocks again.
                }
            }
            thread = null;
            return List.of();
        } finally {
            lock.unlock();
        }
    }

    /** The caller must hold the lock. */
    private List<T> takeDue(long now) {
        List<T> due = new ArrayList<>();
        for (Map.Entry<T, Long> first = dueTimes.firstEntry();
                first != null && first.getValue() - now <= 0;
                first = dueTimes.firstEntry()) {
            due.add(first.getKey());
            dueTimes.remove(first.getKey());
        }
        return due;
    }
}
