// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.ConnectException;
import io.millrace.client.InterruptedCommandException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Where what has come waits to be taken. How much that may be, and what happens beyond, is the backlog's affair. Any thread.
 *
 * @param <T> what comes
 */
final class Mailbox<T> {

    /** What waits, in a mailbox; guarded by its lock. */
    interface Backlog<T> {

        void add(T item);

        /** What is to be taken next; null if nothing waits. */
        @Nullable
        T poll();

        int size();
    }

    private static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE);

    private final String name;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Guarded by lock.
    private final Backlog<T> backlog;
    private boolean closed;
    private @Nullable ConnectException failure;

    /** How much waits; written under the lock, read by anybody. */
    private volatile int size;

    /** An empty one of {@code name}, which is for messages. */
    Mailbox(String name, Backlog<T> backlog) {
        this.name = name;
        this.backlog = backlog;
    }

    /** Does not wait, except for others who put or take. */
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
     * What has come first; waits for it. What waits can be taken after the end, too.
     *
     * @throws ConnectException when nothing waits and it was closed because of a failure
     */
    Optional<T> take(Duration timeout) {
        lock.lock();
        try {
            long nanos = timeout.compareTo(FOR_EVER) < 0 ? timeout.toNanos() : Long.MAX_VALUE;
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
            throw new InterruptedCommandException("waiting for news of a " + name + " was interrupted", false);
        } finally {
            lock.unlock();
        }
    }

    /** How much waits. Takes no lock. */
    int size() {
        return size;
    }

    /** Nothing more will be put; {@code why} is null if that was wanted. */
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
