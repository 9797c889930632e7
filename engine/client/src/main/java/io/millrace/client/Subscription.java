// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.TimedOutException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * A pub/sub subscription over a separate connection; in a cluster, with a connection to each primary of its shard channels, too. Thread-safe. Several threads may call {@link #poll}; each message
 * is returned to exactly one thread.
 *
 * <p>Messages wait in a buffer with a maximum number of messages and of bytes. When the buffer is full, the oldest
 * messages are dropped and counted in {@link #dropped}. So a slow subscriber does not delay other subscribers, and it
 * can detect that messages were dropped.
 *
 * <p>If the connection is lost, the client opens a new connection and subscribes to the topics again. The subscriber
 * does not receive the messages that were published between the loss and the new subscription; {@link #gaps} counts
 * such interruptions. If the server refuses the login of the new connection, the client repeats the login after the
 * longest delay ({@link ClientOptions#MAX_RECONNECT_DELAY}). If the server sends nothing during the command timeout, the client sends a {@code PING}. If the
 * server then sends nothing for the same time again, the client treats the connection as lost.
 *
 * <p>In a cluster, a shard channel follows its hash slot. If the slot moves, the client subscribes at the new owner, and
 * {@link #gaps} counts the interruption.
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

    /**
     * Adds {@code topics}. Blocks until the server has confirmed all of them, at most for the command timeout. A
     * message that is published after the return arrives, unless a connection is lost. A topic that the subscription
     * already has stays unchanged. While the connection is being replaced, the method waits for the next connection.
     *
     * <p>If the method times out or is interrupted, the topics remain in {@link #topics}, and the client continues to
     * subscribe to them; {@link #unsubscribe} withdraws them. If the server then refuses a topic, the client removes
     * the topic and logs a warning.
     *
     * @throws ErrorReplyException if the server refused a topic; the subscription continues without this topic. The
     *     other topics of the call are not affected
     * @throws TimedOutException if the server did not confirm the topics within the command timeout
     * @throws InterruptedCommandException if the thread is interrupted while it waits
     * @throws ConnectionLostException if the subscription has ended
     */
    void subscribe(Topic... topics);

    /**
     * Removes {@code topics}. Blocks until the server has confirmed this, at most for the command timeout. The server
     * then sends no more messages of these topics; messages in the buffer remain. A topic that the subscription does
     * not have is ignored. A subscription may have no topics.
     *
     * <p>If the method times out or is interrupted, the client continues to remove the topics.
     *
     * @throws ErrorReplyException if the server refused to remove a topic; the subscription keeps this topic
     * @throws TimedOutException if the server did not confirm within the command timeout
     * @throws InterruptedCommandException if the thread is interrupted while it waits
     * @throws ConnectionLostException if the subscription has ended
     */
    void unsubscribe(Topic... topics);

    /**
     * The topics of this subscription: the first topics, and the changes by {@link #subscribe} and {@link #unsubscribe}
     * so far. The server may not have confirmed the last changes yet. A copy.
     */
    Set<Topic> topics();

    /** Number of messages in the buffer. */
    int waiting();

    /** Number of messages dropped because the buffer was full. */
    long dropped();

    /**
     * Number of times a connection was lost, or the hash slots of shard channels moved to another node of a cluster. Each time,
     * messages may be missing.
     */
    long gaps();

    /**
     * Whether the current connections work and the servers have confirmed the topics. True also while
     * the server has not confirmed a change by {@link #subscribe} or {@link #unsubscribe}.
     */
    boolean isOpen();

    /** Closes the subscription. {@link #poll} still returns the messages in the buffer. */
    @Override
    void close();
}
