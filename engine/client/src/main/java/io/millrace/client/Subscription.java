// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.InterruptedCommandException;
import java.time.Duration;
import java.util.Optional;

/**
 * A pub/sub subscription over its own connection. Thread-safe. Several threads may take messages; each message goes to
 * one of them.
 *
 * <p>Messages wait in a buffer of limited size. When the buffer is full, the oldest message is dropped and counted in
 * {@link #dropped}. So a slow subscriber delays no other subscriber and can see its losses. A lost connection is
 * replaced and the channels are subscribed again. Messages published in between are missing, which {@link #gaps}
 * counts. A connection that is silent for the command timeout gets a {@code PING}; if it stays silent for the same time
 * again, it counts as lost.
 */
public interface Subscription extends AutoCloseable {

    /**
     * Takes the next message. Blocks until a message arrives, at most for {@code timeout}.
     *
     * @return empty if no message arrived within {@code timeout}, or the subscription was closed
     * @throws ConnectException if the buffer is empty and the subscription has ended because the server rejects the
     *     login
     * @throws InterruptedCommandException if the thread is interrupted while it waits
     */
    Optional<Message> poll(Duration timeout);

    /** Number of messages in the buffer. */
    int waiting();

    /** Number of messages dropped because the buffer was full. */
    long dropped();

    /** Number of times the connection was lost. Messages may be missing after each loss. */
    long gaps();

    /** Whether the server has confirmed all channels and patterns on the current connection. */
    boolean isOpen();

    /** Ends the subscription. Messages in the buffer can still be taken. */
    @Override
    void close();
}
