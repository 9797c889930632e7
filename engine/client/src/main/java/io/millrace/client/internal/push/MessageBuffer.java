// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import io.millrace.client.Message;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** The newest messages, up to a capacity; older messages are dropped. */
final class MessageBuffer implements Mailbox.Buffer<Message> {

    private final int capacity;

    // Guarded by the lock of the mailbox.
    private final ArrayDeque<Message> messages = new ArrayDeque<>();

    /** Number of dropped messages. Written under the mailbox's lock, read by any thread. */
    private volatile long dropped;

    MessageBuffer(int capacity) {
        this.capacity = capacity;
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // One writer at a time: the mailbox's lock.
    public void add(Message message) {
        if (messages.size() == capacity) {
            messages.remove();
            dropped++;
        }
        messages.add(message);
    }

    @Override
    public @Nullable Message poll() {
        return messages.poll();
    }

    @Override
    public int size() {
        return messages.size();
    }

    long dropped() {
        return dropped;
    }
}
