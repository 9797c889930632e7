// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.InterruptedCommandException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A queue between one connection's thread and the user's threads. Its {@link Buffer} decides how many items are kept,
 * and which items are dropped. Thread-safe.
 *
 * @param <T> type of the items
 */
final class Mailbox<T> {

    /** The waiting items of a mailbox; guarded by its lock. */
    interface Buffer<T> {

        void add(T item);

        /** Removes and returns the next item; null if there is none. */
        @Nullable
        T poll();

        int size();
    }

    private static final Duration NO_LIMIT = Duration.ofNanos(Long.MAX_VALUE);

    private final String name;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Guarded by lock.
    private final Buffer<T> backlog;
    private boolean closed;
    private @Nullable ConnectException failure;

    /** Number of waiting items; written under the lock, read by any thread. */
    private volatile int size;

    /** Creates an empty mailbox; {@code name} is used in messages. */
    Mailbox(String name, Buffer<T> backlog) {
        this.name = name;
        this.backlog = backlog;
    }

    /** Adds an item. Waits only for the lock. */
    void put(T item) {
        lock.lock();
        try {
            backlog.add(item);
            size = backlog.size();
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Removes and returns the next item. Waits for {@code timeout} at most; empty if no item has arrived. After the
     * mailbox is closed, the remaining items can still be taken.
     *
     * @throws ConnectException if no item is left and the mailbox was closed because of a failure
     */
    Optional<T> take(Duration timeout) {
        lock.lock();
        try {
            long nanos = timeout.compareTo(NO_LIMIT) < 0 ? timeout.toNanos() : Long.MAX_VALUE;
            while (size == 0 && !closed && nanos > 0) {
                nanos = changed.awaitNanos(nanos);
            }
            T next = backlog.poll();
            size = backlog.size();
            if (next == null && failure != null) {
                throw new ConnectException(
                        failure.reason(), "the " + name + " has ended: " + failure.getMessage(), failure);
            }
            return Optional.ofNullable(next);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedCommandException("waiting for the next item of a " + name + " was interrupted", false);
        } finally {
            lock.unlock();
        }
    }

    /** Number of waiting items. Takes no lock. */
    int size() {
        return size;
    }

    /** Closes the mailbox; {@code why} is null if the user closed it. */
    void close(@Nullable ConnectException why) {
        lock.lock();
        try {
            closed = true;
            failure = why;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
