// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A proxy that injects network faults. It listens on a loopback port and forwards each connection to a server. A test
 * can set faults for either direction at any time.
 *
 * <p>The proxy does not interpret the bytes. So it works with RESP, TLS and any other protocol over TCP. For each
 * connection of a client, the proxy opens one connection to the server. It forwards the end of a stream, or a reset,
 * after all bytes that the sender sent before. There are three kinds of faults:
 *
 * <ul>
 *   <li>{@link Faults} delay bytes. They apply to all current and later connections, until the test sets other faults;
 *   <li>{@link #cut}, {@link #cutNext} and {@link #disconnectAll} end connections;
 *   <li>{@link #refuseConnections} refuses new connections.
 * </ul>
 *
 * <p>All methods are thread-safe. Only {@link #close}, {@link #refuseConnections} and the {@code await} methods block.
 * After {@link #close}, no thread and no socket of the proxy is left. Each connection uses four threads, so the proxy
 * suits tests with up to some hundreds of connections.
 */
public final class FaultProxy implements AutoCloseable {

    /** Maximum time to connect to the server. Connecting takes this long only if the backlog of the server is full. */
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);

    private final ProxyStats proxyStats = new ProxyStats();
    private final ReentrantLock lock = new ReentrantLock();
    // Threads access the next three fields only under the lock.
    private final List<ProxyConnection> connections = new ArrayList<>();
    private final Map<Direction, Faults> faults = new EnumMap<>(Direction.class);
    private final Queue<PlannedCut> plannedCuts = new ArrayDeque<>();

    private volatile InetSocketAddress server;
    private volatile boolean resetting;
    /**
     * The port of the proxy. No method of this object may be called under the lock: the method waits for the accepting
     * thread, and the accepting thread needs the lock.
     */
    private final ReopenableListener reopenableListener;

    private FaultProxy(InetSocketAddress server) {
        this.server = server;
        this.reopenableListener = new ReopenableListener(this::accept);
    }

    /**
     * Opens a free loopback port and forwards its connections to the server at {@code host} and {@code port}. The
     * server may start later.
     */
    public static FaultProxy inFrontOf(String host, int port) {
        return new FaultProxy(new InetSocketAddress(host, port));
    }

    /** The loopback address of the proxy. */
    public String host() {
        return reopenableListener.address().getAddress().getHostAddress();
    }

    /** The port of the proxy. It never changes. */
    public int port() {
        return reopenableListener.address().getPort();
    }

    /** Forwards new connections to another server, such as the replacement of a stopped server. */
    public void forwardTo(String host, int port) {
        server = new InetSocketAddress(host, port);
    }

    /**
     * Sets the faults of one direction. They apply to current and later connections, and also to bytes that are already
     * in the proxy.
     */
    public void faults(Direction direction, Faults now) {
        locked(() -> {
            faults.put(direction, now);
            connections.forEach(
                    connection -> connection.pump(direction).transit().faults(now));
        });
    }

    /**
     * Sets the same faults for both directions. A {@link Faults#delay} then delays requests and replies, so a round
     * trip takes two delays.
     */
    public void faults(Faults now) {
        for (Direction direction : Direction.values()) {
            faults(direction, now);
        }
    }

    /** Forwards no bytes of {@code direction} until {@link #resume}. The other faults of the direction stay set. */
    public void stall(Direction direction) {
        locked(() -> faults(direction, faultsOf(direction).withStalled(true)));
    }

    /** Ends the effect of {@link #stall}. The proxy forwards the bytes that it has kept. */
    public void resume(Direction direction) {
        locked(() -> faults(direction, faultsOf(direction).withStalled(false)));
    }

    /**
     * Ends one direction of every open connection. The proxy first forwards exactly {@code afterBytes} more bytes of
     * {@code direction}, 0 or more. Then {@code connectionEnd} decides:
     *
     * <ul>
     *   <li>{@link ConnectionEnd#CLOSE}: the receiver reads the end of the stream. The proxy drops later bytes of the
     *       sender. The other direction stays open until the receiver ends it, as after a half-close.
     *   <li>{@link ConnectionEnd#RESET}: the proxy resets the connections to the client and to the server. It has
     *       written all {@code afterBytes} bytes, but the receiver may lose bytes that it has not read before the
     *       reset.
     *   <li>{@link ConnectionEnd#SILENCE}: the proxy reads and drops later bytes of the sender. The receiver receives
     *       nothing more, not even the end of the stream.
     * </ul>
     *
     * <p>If an earlier cut has not happened yet, this cut replaces it. As soon as the proxy has forwarded a byte of a
     * connection, the connection is certainly open.
     */
    public void cut(Direction direction, long afterBytes, ConnectionEnd connectionEnd) {
        PlannedCut cut = new PlannedCut(direction, afterBytes, connectionEnd);
        locked(() -> connections.forEach(cut::applyTo));
    }

    /**
     * Plans a {@link #cut} for the next connection. Bytes are counted from the first byte of that connection. Each
     * further call plans a cut for one further connection, in the order of the calls.
     */
    public void cutNext(Direction direction, long afterBytes, ConnectionEnd connectionEnd) {
        PlannedCut cut = new PlannedCut(direction, afterBytes, connectionEnd);
        locked(() -> plannedCuts.add(cut));
    }

    /**
     * Ends both directions of every open connection at once, as described at {@link #cut}, and drops the bytes in the
     * proxy. After {@link ConnectionEnd#SILENCE} the sockets of client and server stay open, but neither of them
     * receives anything. This lasts until the client closes its socket.
     */
    public void disconnectAll(ConnectionEnd connectionEnd) {
        locked(() -> connections.forEach(connection -> connection.end(connectionEnd)));
    }

    /** Refuses new connections as {@code how} says. Connections that are already open stay open. */
    public void refuseConnections(RefusalMode how) {
        resetting = how == RefusalMode.RESET;
        switch (how) {
            case RESET -> reopenableListener.open();
            case CLOSED_PORT -> reopenableListener.closeForNow();
        }
    }

    /** Accepts connections again after {@link #refuseConnections}. The port stays the same. */
    public void acceptConnections() {
        resetting = false;
        reopenableListener.open();
    }

    /** Number of connections that the proxy has accepted and forwarded to the server. */
    public int acceptedConnections() {
        return proxyStats.acceptedConnections();
    }

    /**
     * Number of connections that the proxy has accepted and reset at once. The reason is {@link RefusalMode#RESET}, or
     * a server that is not reachable.
     */
    public int refusedConnections() {
        return proxyStats.refusedConnections();
    }

    /** Number of connections that the client has not closed. A connection that was reset is not counted. */
    public int openConnections() {
        return proxyStats.openConnections();
    }

    /** Number of bytes that the proxy has forwarded in {@code direction}, on all connections together. */
    public long forwardedBytes(Direction direction) {
        return proxyStats.forwardedBytes(direction);
    }

    /** Waits until the proxy has accepted at least {@code count} connections. */
    public void awaitAccepted(int count, Duration timeout) {
        proxyStats.awaitAccepted(count, timeout);
    }

    /** Waits until the proxy has reset at least {@code count} new connections; see {@link #refusedConnections}. */
    public void awaitRefused(int count, Duration timeout) {
        proxyStats.awaitRefused(count, timeout);
    }

    /** Waits until exactly {@code count} connections are open. */
    public void awaitOpen(int count, Duration timeout) {
        proxyStats.awaitOpen(count, timeout);
    }

    /**
     * Waits until the proxy has forwarded at least {@code bytes} bytes in {@code direction}, on all connections
     * together.
     */
    public void awaitForwarded(Direction direction, long bytes, Duration timeout) {
        proxyStats.awaitForwarded(direction, bytes, timeout);
    }

    /** Closes the port and every connection, and waits for all threads. */
    @Override
    public void close() {
        reopenableListener.close();
        locked(() -> {
            connections.forEach(ProxyConnection::close);
            connections.forEach(ProxyConnection::join);
        });
    }

    private void accept(Socket client) {
        Optional<Socket> toServer = connect();
        if (toServer.isPresent()) {
            locked(() -> admit(client, toServer.get()));
        } else {
            Sockets.reset(client);
            proxyStats.refused();
        }
    }

    /**
     * Connects to the server. Returns an empty result if the test refuses connections or if the server is not
     * reachable.
     */
    private Optional<Socket> connect() {
        if (resetting) {
            return Optional.empty();
        }
        Socket socket = new Socket();
        try {
            socket.connect(server, (int) CONNECT_TIMEOUT.toMillis());
            return Optional.of(socket);
        } catch (IOException e) {
            Sockets.close(socket);
            return Optional.empty();
        }
    }

    private void admit(Socket client, Socket toServer) {
        Sockets.withoutDelay(client);
        Sockets.withoutDelay(toServer);
        ProxyConnection connection = new ProxyConnection(
                "fault-proxy-" + proxyStats.acceptedConnections(),
                client,
                toServer,
                faultsOf(Direction.TO_SERVER),
                faultsOf(Direction.TO_CLIENT),
                proxyStats);
        Optional.ofNullable(plannedCuts.poll()).ifPresent(cut -> cut.applyTo(connection));
        connections.removeIf(old -> !old.isAlive());
        connections.add(connection);
        proxyStats.accepted();
        connection.start();
    }

    private Faults faultsOf(Direction direction) {
        return faults.getOrDefault(direction, Faults.NONE);
    }

    private void locked(Runnable action) {
        lock.lock();
        try {
            action.run();
        } finally {
            lock.unlock();
        }
    }

    private record PlannedCut(Direction direction, long afterBytes, ConnectionEnd ending) {

        PlannedCut {
            if (afterBytes < 0) {
                throw new IllegalArgumentException("afterBytes must be 0 or more: afterBytes=" + afterBytes);
            }
        }

        void applyTo(ProxyConnection connection) {
            connection.pump(direction).transit().cut(afterBytes, ending);
        }
    }
}
