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
import java.util.Collections;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks the nodes of a cluster for the owners of the slots. Keeps the connection to the last node that has answered. Used by
 * one thread; any thread may close.
 */
public final class SlotsQuery implements AutoCloseable {

    /** Each node has at least this part of the connect timeout, however many nodes there are. */
    private static final int LEAST_SHARE = 4;

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

    /** Number of nodes that were asked in vain: another node begins the next question. Used by the asking thread. */
    private int turn;

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
     * Returns the answer of the first node that has slots and reaches the cluster. If each node says that the cluster is down,
     * returns the first answer. The node that has answered last is asked first if it is one of {@code nodes}. All nodes together
     * have the connect timeout, and each has at least a quarter of it. Nodes for which no time is left come first next time.
     *
     * @throws ConnectException if no node answers with slots; the message has the reason of each
     */
    public SlotsAnswer ask(List<RedisUri.Tcp> nodes) {
        List<RedisUri.Tcp> order = inTurn(nodes);
        ConnectLimit all = new ConnectLimit(clock, options.connectTimeout().toNanos());
        long least = options.connectTimeout().toNanos() / LEAST_SHARE;
        List<String> reasons = new ArrayList<>();
        Reason worst = Reason.UNREACHABLE;
        SlotsAnswer down = null;
        for (int i = 0; i < order.size() && all.nanosLeft() > 0 && !closed; i++) {
            RedisUri.Tcp next = order.get(i);
            long share = Math.max(least, all.nanosLeft() / (order.size() - i));
            try {
                List<Reply> replies = ask(next, new ConnectLimit(clock, Math.min(share, all.nanosLeft())));
                String problem = problem(replies.get(1));
                if (problem == null && !isDown(replies.getFirst())) {
                    return new SlotsAnswer(next, replies.get(1));
                }
                if (problem == null && down == null) {
                    down = new SlotsAnswer(next, replies.get(1));
                }
                reasons.add(reason(next, problem == null ? "the cluster is down" : problem));
            } catch (ConnectException e) {
                reasons.add(reason(next, Connector.describe(e)));
                worst = e.reason() == Reason.UNREACHABLE ? worst : e.reason();
            } catch (IOException e) {
                reasons.add(reason(next, Connector.describe(e)));
            }
            disconnect();
            turn++;
        }
        if (down != null) {
            return down;
        }
        throw new ConnectException(
                worst,
                "cannot connect to " + options.uri() + ": no node names the owners of the slots: "
                        + String.join("; ", reasons)
                        + ". Check the addresses, and whether the servers are nodes of a cluster with slots.");
    }

    /** The nodes, first the one that has answered last, then those that were not asked for the longest time. */
    private List<RedisUri.Tcp> inTurn(List<RedisUri.Tcp> nodes) {
        List<RedisUri.Tcp> order = new ArrayList<>(nodes);
        Collections.rotate(order, -(turn % order.size()));
        if (node != null && order.remove(node)) {
            order.addFirst(node);
        }
        return order;
    }

    /** Why a reply to {@code CLUSTER SLOTS} cannot be used; null if it can. A node that has left its cluster has no slots. */
    private static @Nullable String problem(Reply slots) {
        return switch (slots) {
            case Reply.ErrorReply error -> error.message();
            case Reply.ArrayReply array when array.items().isEmpty() -> "the node knows no slots";
            default -> null;
        };
    }

    /** Whether a reply to {@code CLUSTER INFO} says that the node does not reach the cluster. Some users may not ask. */
    private static boolean isDown(Reply info) {
        String text = switch (info) {
            case Reply.VerbatimString verbatim -> verbatim.text();
            case Reply.BulkString bulk -> bulk.text();
            default -> "";
        };
        return text.contains("cluster_state:fail");
    }

    /** Lets another node answer next, because a node without contact to the cluster keeps its old answer. */
    public void askAnother() {
        if (node != null) {
            disconnect();
            turn++;
        }
    }

    private static String reason(RedisUri.Tcp node, String why) {
        return EndpointText.of(node) + ": " + (why.endsWith(".") ? why.substring(0, why.length() - 1) : why);
    }

    private List<Reply> ask(RedisUri.Tcp next, ConnectLimit limit) throws IOException {
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
        return open.askAll(limit, List.of(List.of("CLUSTER", "INFO"), List.of("CLUSTER", "SLOTS")));
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
