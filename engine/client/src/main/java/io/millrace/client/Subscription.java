// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.time.Duration;
import java.util.Optional;

/**
 * Messages of channels, over a connection of its own. Thread-safe; several threads may take messages, each gets others.
 *
 * <p>Messages wait in a buffer of limited size. When it is full the oldest is dropped and counted: a subscriber that is too
 * slow learns of it, and keeps nobody else. A lost connection is replaced and the channels subscribed to again; what was
 * published in between is gone, which {@link #gaps} counts. A connection counts as lost, too, when it was quiet for the
 * command timeout, was asked for a sign of life, and was quiet for as long again.
 */
public interface Subscription extends AutoCloseable {

    /**
     * The next message; waits for it.
     *
     * @return empty if none came within {@code timeout}, or the subscription was closed
     * @throws ConnectException if nothing waits, and the subscription has ended because the server does not let us in any more
     * @throws InterruptedCommandException if the thread is interrupted while it waits
     */
    Optional<Message> poll(Duration timeout);

    /** How many messages wait. */
    int waiting();

    /** How many messages were dropped because the buffer was full. */
    long dropped();

    /** How often the connection was lost, so that messages may be missing. */
    long gaps();

    /** Whether the server has confirmed every channel over the present connection. */
    boolean isOpen();

    /** Ends the subscription. What waits can still be taken. */
    @Override
    void close();
}
