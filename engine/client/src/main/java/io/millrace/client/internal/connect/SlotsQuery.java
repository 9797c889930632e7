// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisUri;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.ConnectException.Reason;
import io.millrace.resp.Reply;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks the nodes of a cluster for the owners of the slots. Keeps the connection to the last node that has answered. Used by
 * one thread; any thread may close.
 */
public final class SlotsQuery implements AutoCloseable {

    private final ClientOptions options;
    private final Login login;
    private final LongSupplier clock;

    /** The node of the connection; null without one. Used by the asking thread. */
    private RedisUri.@Nullable Tcp node;

    /** The connection to {@link #node}. Written by the asking thread, closed by any thread. */
    private volatile @Nullable DirectConnection connection;

    /** The socket of the connection or of an attempt. Written by the asking thread, closed by any thread. */
    private volatile @Nullable Closeable socket;

    /** Set to true by {@link #close}; never reset. */
    private volatile boolean closed;

    /**
     * The answer of a node.
     *
     * @param node the node that has answered
     * @param slots its reply to {@code CLUSTER SLOTS}, not an error
     */
    public record SlotsAnswer(RedisUri.Tcp node, Reply slots) {}

    public SlotsQuery(ClientOptions options, Login login, LongSupplier clock) {
        this.options = options;
        this.login = login;
        this.clock = clock;
    }

    /**
     * Returns the first answer of {@code nodes}. The node that has answered last is asked first if it is one of them. All nodes
     * together have the connect timeout.
     *
     * @throws ConnectException if no node answers; the message has the reason of each
     */
    public SlotsAnswer ask(List<RedisUri.Tcp> nodes) {
        List<RedisUri.Tcp> order = new ArrayList<>(nodes);
        if (node != null && order.remove(node)) {
            order.addFirst(node);
        }
        ConnectLimit all = new ConnectLimit(clock, options.connectTimeout().toNanos());
        List<String> reasons = new ArrayList<>();
        Reason worst = Reason.UNREACHABLE;
        for (int i = 0; i < order.size() && !closed; i++) {
            RedisUri.Tcp next = order.get(i);
            ConnectLimit share = new ConnectLimit(clock, Math.max(1, all.nanosLeft() / (order.size() - i)));
            try {
                Reply slots = ask(next, share);
                if (!(slots instanceof Reply.ErrorReply error)) {
                    return new SlotsAnswer(next, slots);
                }
                reasons.add(reason(next, error.message()));
            } catch (ConnectException e) {
                reasons.add(reason(next, Connector.describe(e)));
                worst = e.reason() == Reason.UNREACHABLE ? worst : e.reason();
            } catch (IOException e) {
                reasons.add(reason(next, Connector.describe(e)));
            }
            disconnect();
        }
        throw new ConnectException(
                worst,
                "cannot connect to " + options.uri() + ": no node names the owners of the slots: "
                        + String.join("; ", reasons)
                        + ". Check the addresses, and whether the servers are nodes of a cluster.");
    }

    private static String reason(RedisUri.Tcp node, String why) {
        return EndpointText.of(node) + ": " + (why.endsWith(".") ? why.substring(0, why.length() - 1) : why);
    }

    private Reply ask(RedisUri.Tcp next, ConnectLimit limit) throws IOException {
        DirectConnection open = connection;
        if (open == null || !next.equals(node)) {
            disconnect();
            open = DirectConnection.open(NodeOptions.of(options, next), login, limit, this::opened);
            connection = open;
            node = next;
            if (closed) {
                disconnect();
            }
        }
        return open.ask(limit, "CLUSTER", "SLOTS");
    }

    private void opened(Closeable opened) {
        socket = opened;
        if (closed) {
            Sockets.closeQuietly(opened);
        }
    }

    private void disconnect() {
        DirectConnection open = connection;
        connection = null;
        node = null;
        if (open != null) {
            open.close();
        }
    }

    /** Closes the connection, so that a running question fails. */
    @Override
    public void close() {
        closed = true;
        Closeable opening = socket;
        if (opening != null) {
            Sockets.closeQuietly(opening);
        }
        DirectConnection open = connection;
        if (open != null) {
            open.close();
        }
    }
}
