// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.ConnectException;
import io.millrace.client.InterruptedCommandException;
import io.millrace.client.Message;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Messages that wait for their subscriber: so many at most, of which the newest are kept. Any thread. */
final class Mailbox {

    private static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE);

    private final int capacity;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Guarded by lock.
    private final ArrayDeque<Message> messages = new ArrayDeque<>();
    private long dropped;
    private boolean closed;
    private @Nullable ConnectException failure;

    Mailbox(int capacity) {
        this.capacity = capacity;
    }

    /** Does not wait, except for others who put or take. */
    void put(Message message) {
        lock.lock();
        try {
            if (messages.size() == capacity) {
                messages.remove();
                dropped++;
            }
            messages.add(message);
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    /**
     * The oldest message; waits for one. What waits can be taken after the end, too.
     *
     * @throws ConnectException when nothing waits and it was closed because of a failure
     */
    Optional<Message> take(Duration timeout) {
        lock.lock();
        try {
            long nanos = timeout.compareTo(FOR_EVER) < 0 ? timeout.toNanos() : Long.MAX_VALUE;
            while (messages.isEmpty() && !closed && nanos > 0) {
                nanos = changed.awaitNanos(nanos);
            }
            if (messages.isEmpty() && failure != null) {
                throw new ConnectException(
                        failure.reason(), "the subscription has ended: " + failure.getMessage(), failure);
            }
            return Optional.ofNullable(messages.poll());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedCommandException("waiting for a message was interrupted", false);
        } finally {
            lock.unlock();
        }
    }

    int size() {
        lock.lock();
        try {
            return messages.size();
        } finally {
            lock.unlock();
        }
    }

    long dropped() {
        lock.lock();
        try {
            return dropped;
        } finally {
            lock.unlock();
        }
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
