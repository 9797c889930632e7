// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import io.millrace.client.Message;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The newest messages, up to a number of messages and of bytes; older messages are dropped. The newest message is kept
 * even if the message alone exceeds the number of bytes.
 */
final class MessageBuffer implements Mailbox.Buffer<Message> {

    private final int capacity;
    private final long capacityBytes;

    // Guarded by the lock of the mailbox.
    private final ArrayDeque<Message> messages = new ArrayDeque<>();
    private long bytes;

    /** Number of dropped messages. Written under the mailbox's lock, read by any thread. */
    private volatile long dropped;

    MessageBuffer(int capacity, long capacityBytes) {
        this.capacity = capacity;
        this.capacityBytes = capacityBytes;
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // One writer at a time: the mailbox's lock.
    public void add(Message message) {
        long added = bytesOf(message);
        while (messages.size() == capacity || (bytes + added > capacityBytes && !messages.isEmpty())) {
            bytes -= bytesOf(messages.remove());
            dropped++;
        }
        messages.add(message);
        bytes += added;
    }

    @Override
    public @Nullable Message poll() {
        Message next = messages.poll();
        if (next != null) {
            bytes -= bytesOf(next);
        }
        return next;
    }

    @Override
    public int size() {
        return messages.size();
    }

    long dropped() {
        return dropped;
    }

    private static long bytesOf(Message message) {
        return (long) message.topic().length() + message.channelBytes().length + message.payload().length;
    }
}
