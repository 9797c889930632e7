// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.InterruptedCommandException;
import java.time.Duration;
import java.util.Optional;

/**
 * A pub/sub subscription over a separate connection. Thread-safe. Several threads may call {@link #poll}; each message
 * is returned to exactly one thread.
 *
 * <p>Messages wait in a buffer of limited size. When the buffer is full, the oldest message is dropped and counted in
 * {@link #dropped}. So a slow subscriber does not delay other subscribers, and it can detect that messages were
 * dropped.
 *
 * <p>If the connection is lost, the client opens a new connection and subscribes to the channels again. The subscriber
 * does not receive the messages that were published between the loss and the new subscription; {@link #gaps} counts
 * such interruptions. If the server refuses the login of the new connection, the client repeats the login after the
 * longest delay ({@link ClientOptions#MAX_RECONNECT_DELAY}). If the server sends nothing during the command timeout, the client sends a {@code PING}. If the
 * server then sends nothing for the same time again, the client treats the connection as lost.
 */
public interface Subscription extends AutoCloseable {

    /**
     * Removes and returns the next message. Blocks until a message arrives, at most for {@code timeout}.
     *
     * @return empty if no message arrived within {@code timeout}, or the subscription was closed
     * @throws ConnectException if the subscription has ended because of an internal failure, such as a lack of memory,
     *     and the buffer is empty
     * @throws InterruptedCommandException if the thread is interrupted while it waits
     */
    Optional<Message> poll(Duration timeout);

    /** Number of messages in the buffer. */
    int waiting();

    /** Number of messages dropped because the buffer was full. */
    long dropped();

    /** Number of times the connection was lost. After each loss, messages may be missing. */
    long gaps();

    /** Whether the server has confirmed all channels and patterns on the current connection. */
    boolean isOpen();

    /** Closes the subscription. {@link #poll} still returns the messages in the buffer. */
    @Override
    void close();
}
