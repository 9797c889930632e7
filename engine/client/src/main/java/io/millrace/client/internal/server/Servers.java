// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.server;

import io.millrace.client.BulkListener;
import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.Pipeline;
import io.millrace.client.ResultListener;
import io.millrace.client.SubscribeOptions;
import io.millrace.client.Subscription;
import io.millrace.client.Tracking;
import io.millrace.client.TrackingOptions;
import io.millrace.client.command.Command;
import io.millrace.client.internal.pool.BorrowedConnection;
import io.millrace.client.internal.shared.SharedConnection;
import io.millrace.client.internal.shared.SubmissionTarget;
import io.millrace.resp.Reply;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The servers of a client: one server, or the nodes of a cluster. A thread uses one lane, so that its commands stay in order.
 * Thread-safe.
 */
public interface Servers extends AutoCloseable {

    /** Number of a command without keys, in place of a hash slot. */
    int NO_HASH_SLOT = -1;

    /** The target of calls and transactions of a lane, from 0. */
    SubmissionTarget target(int lane);

    /** Returns a new pipeline of a lane. */
    Pipeline pipeline(int lane, @Nullable ResultListener listener);

    /**
     * Lends a dedicated connection. Waits until {@code deadline} at most.
     *
     * @param hashSlot the hash slot of the keys for which the connection is needed, or {@link #NO_HASH_SLOT}
     * @throws io.millrace.client.exception.RedisException as {@link io.millrace.client.internal.pool.Pool#borrow}
     */
    BorrowedConnection borrow(int hashSlot, long deadline);

    /**
     * Whether {@code error}, the reply to a command over {@code connection}, has redirected the command to another node, so that
     * the command was not executed and may be sent over another dedicated connection. Then the stats do not count the redirected
     * attempt. Waits until the other node is known, until {@code deadline} at most.
     */
    boolean follows(BorrowedConnection connection, Reply.ErrorReply error, long deadline);

    /**
     * Returns what the servers do with a command that has no keys and does not belong to one server; null if one server is
     * enough, or if the client has only one server.
     *
     * @param lane the lane of the command, so that it follows the earlier commands of its thread
     * @throws io.millrace.client.exception.ConnectionLostException if a primary cannot be reached
     */
    <T> @Nullable ManyServersCall<T> manyServersCall(Command<T> command, int lane);

    /** Opens a separate connection for bulk work; in a cluster, one for each node. */
    BulkWriter bulkWriter(BulkOptions bulk, BulkListener listener);

    /** Opens a subscription, and waits until the servers have confirmed it. */
    Subscription subscribe(SubscribeOptions subscription);

    /** Begins tracking, and waits until the servers have confirmed it. */
    Tracking track(TrackingOptions tracking);

    /** The shared connections of all servers. */
    List<SharedConnection> shared();

    /** Whether all shared connections are open. */
    boolean isOpen();

    /** Any thread: the credentials have changed. */
    void loginChanged();

    /** Closes all connections. Commands without an outcome are lost. */
    @Override
    void close();
}
