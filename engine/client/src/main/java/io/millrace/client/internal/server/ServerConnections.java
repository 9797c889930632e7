// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.server;

import io.millrace.client.BulkListener;
import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.ClientOptions;
import io.millrace.client.ConnectionStats;
import io.millrace.client.Pipeline;
import io.millrace.client.RedisUri;
import io.millrace.client.ReplicationListener;
import io.millrace.client.ResultListener;
import io.millrace.client.SubscribeOptions;
import io.millrace.client.Subscription;
import io.millrace.client.Tracking;
import io.millrace.client.TrackingOptions;
import io.millrace.client.command.Command;
import io.millrace.client.command.Fusion;
import io.millrace.client.internal.bulk.BulkConnection;
import io.millrace.client.internal.connect.Connector;
import io.millrace.client.internal.connect.EndpointText;
import io.millrace.client.internal.connect.HandshakeResult;
import io.millrace.client.internal.connect.WantedRole;
import io.millrace.client.internal.fusion.FusibleKinds;
import io.millrace.client.internal.pool.BorrowedConnection;
import io.millrace.client.internal.pool.Pool;
import io.millrace.client.internal.push.SubscriptionConnection;
import io.millrace.client.internal.push.TrackingConnection;
import io.millrace.client.internal.shared.ConnectionContext;
import io.millrace.client.internal.shared.ConnectionPipeline;
import io.millrace.client.internal.shared.FutureCompleter;
import io.millrace.client.internal.shared.SharedConnection;
import io.millrace.client.internal.shared.SubmissionTarget;
import io.millrace.client.internal.shared.WarmUp;
import io.millrace.client.internal.stats.StatsRegistry;
import io.millrace.resp.Reply;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A server of a client: its shared connections and its dedicated connections. A client of one server has one node, and a
 * client of a cluster has one node for each primary.
 */
public final class ServerConnections implements Servers {

    private final ClientOptions options;
    private final ConnectionContext context;
    private final StatsRegistry statsRegistry;

    /** Begin of the names of the connections: empty, or the address of a node of a cluster. */
    private final String prefix;

    private final SharedConnection[] shared;
    private final Pool pool;
    private final AtomicInteger dedicatedOpened = new AtomicInteger();

    /**
     * Opens the shared connections, or starts to open them.
     *
     * @param context the parts of the client; its options have the address of this node
     * @param prefix begin of the names of the connections
     * @param connectsLater whether the connections are opened in the background
     * @throws io.millrace.client.exception.ConnectException if connecting fails
     */
    public ServerConnections(
            ConnectionContext context,
            StatsRegistry statsRegistry,
            FutureCompleter futureCompleter,
            String prefix,
            boolean connectsLater) {
        this.options = context.options();
        this.context = context;
        this.statsRegistry = statsRegistry;
        this.prefix = prefix;
        this.shared = new SharedConnection[options.connections()];
        this.pool = new Pool(options, context.timekeeper(), this::dedicated, this::retire);
        boolean connected = false;
        try {
            for (int i = 0; i < shared.length; i++) {
                shared[i] = openShared(prefix + (i + 1), connectsLater);
                if (!connectsLater) {
                    WarmUp.run(shared[i], options, futureCompleter);
                }
            }
            connected = true;
        } finally {
            if (!connected) {
                close();
            }
        }
    }

    private SharedConnection openShared(String name, boolean connectsLater) {
        if (connectsLater) {
            return register(new SharedConnection(context, name, ConnectionStats.Kind.SHARED, HandshakeResult.none()));
        }
        Connector connector = newConnector(false, Long.MAX_VALUE, options.fusion());
        return open(name, ConnectionStats.Kind.SHARED, connector);
    }

    private Pool.ConnectAttempt dedicated(long nanos) {
        String name = prefix + "pool-" + dedicatedOpened.incrementAndGet();
        Connector connector = newConnector(true, nanos, Fusion.NONE);
        return new Pool.ConnectAttempt() {
            @Override
            public SharedConnection open() {
                return ServerConnections.this.open(name, ConnectionStats.Kind.DEDICATED, connector);
            }

            @Override
            public void cancel() {
                connector.cancel();
            }
        };
    }

    private Connector newConnector(boolean sendsLibraryName, long limitNanos, Set<Fusion> wanted) {
        return new Connector(
                        options,
                        context.login(),
                        context.clockAndRandom().clock(),
                        sendsLibraryName,
                        limitNanos,
                        wanted)
                .wants(wantedRole());
    }

    /** If a shared connection had a primary, the other connections also prefer a primary. */
    private WantedRole wantedRole() {
        return shared[0] != null && shared[0].primary().hadPrimary() ? WantedRole.PRIMARY_IF_SEVERAL : WantedRole.ANY;
    }

    private SharedConnection open(String name, ConnectionStats.Kind kind, Connector connector) {
        return register(new SharedConnection(context, name, kind, connector));
    }

    private SharedConnection register(SharedConnection connection) {
        statsRegistry.add(connection);
        return connection;
    }

    /** Closes a connection permanently. The totals of the client keep its stats. */
    private void retire(SharedConnection connection) {
        connection.close();
        statsRegistry.retire(connection);
    }

    @Override
    public List<SharedConnection> shared() {
        return List.of(shared);
    }

    /** The shared connection of a lane, from 0. */
    public SharedConnection connection(int lane) {
        return shared[lane];
    }

    @Override
    public SubmissionTarget target(int lane) {
        return shared[lane];
    }

    @Override
    public Pipeline pipeline(int lane, @Nullable ResultListener listener) {
        return new ConnectionPipeline(shared[lane], options, listener);
    }

    @Override
    public BorrowedConnection borrow(int hashSlot, long deadline) {
        return pool.borrow(deadline);
    }

    @Override
    public boolean follows(BorrowedConnection connection, Reply.ErrorReply error, long deadline) {
        return false;
    }

    @Override
    public <T> @Nullable ManyServersCall<T> manyServersCall(Command<T> command, int lane) {
        return null;
    }

    @Override
    public BulkWriter bulkWriter(BulkOptions bulk, BulkListener listener) {
        return bulkConnection(
                bulk,
                listener instanceof ReplicationListener replication
                        ? replication.opened(EndpointText.of(options.uri()))
                        : listener);
    }

    @Override
    public Subscription subscribe(SubscribeOptions subscription) {
        return SubscriptionConnection.open(options, context.login(), context.clockAndRandom(), subscription);
    }

    @Override
    public Tracking track(TrackingOptions tracking) {
        return TrackingConnection.open(options, context.login(), context.clockAndRandom(), tracking);
    }

    /**
     * Opens a separate connection for bulk work. If {@code listener} is a {@link ReplicationListener.ServerListener}, the
     * connection sends marks.
     */
    public BulkConnection bulkConnection(BulkOptions bulk, BulkListener listener) {
        HandshakeResult handshakeResult = Connector.connectBlocking(
                options, context.login(), context.clockAndRandom().clock(), bulk.fusion(), wantedRole());
        boolean opened = false;
        try {
            BulkConnection connection = new BulkConnection(
                    handshakeResult,
                    context.login(),
                    EndpointText.of(options.uri()),
                    new FusibleKinds(handshakeResult.fusion(), context.refusedKinds(), BulkConnection.NAME),
                    context.timekeeper(),
                    options.replyLimits(),
                    bulk,
                    listener,
                    statsRegistry::retire);
            statsRegistry.add(connection);
            opened = true;
            return connection;
        } finally {
            if (!opened) {
                handshakeResult.transport().close();
            }
        }
    }

    /** Whether a command waits at a shared connection that has received nothing for {@code nanos}. */
    public boolean isStalled(long nanos) {
        for (SharedConnection connection : shared) {
            if (connection.isStalled(nanos)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether no reply is owed, and no caller uses a dedicated connection. Commands that wait for another attempt, or for
     * permits, may go to another node.
     */
    public boolean owesNothing() {
        for (SharedConnection connection : shared) {
            if (connection.owesReplies()) {
                return false;
            }
        }
        return pool.isIdle();
    }

    /** Any thread: a Sentinel has named the address of the primary. */
    public void primaryIsAt(RedisUri.Tcp primary) {
        for (SharedConnection connection : shared) {
            connection.primaryIsAt(primary);
        }
        pool.primaryIsAt(primary);
    }

    /** Any thread: the credentials have changed, so the pool may log in at once. */
    @Override
    public void loginChanged() {
        pool.loginChanged();
    }

    @Override
    public boolean isOpen() {
        for (SharedConnection connection : shared) {
            if (!connection.isOpen()) {
                return false;
            }
        }
        return true;
    }

    /**
     * Ends the shared connections, because the node has left the cluster: commands that may be sent again go to other nodes.
     * Does not wait; {@link #close} follows.
     */
    public void retire(String cause) {
        for (SharedConnection connection : shared) {
            connection.retire(cause);
        }
    }

    /** After {@link #close}: the totals of the client keep the stats of the shared connections. */
    public void retireStats() {
        shared().forEach(statsRegistry::retire);
    }

    /** Closes all connections. Commands without an outcome are lost. */
    @Override
    public void close() {
        pool.close();
        for (SharedConnection connection : shared) {
            if (connection != null) {
                connection.close();
            }
        }
    }
}
