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
 * A proxy that injects network faults. It listens on a loopback port and forwards each connection to a server. Faults
 * can be set for either direction at any time.
 *
 * <p>The proxy does not interpret the bytes, so it works with RESP, TLS and any other protocol over TCP. Each client
 * connection has a separate connection to the server. The end of a stream or a reset is forwarded after the bytes that
 * were sent before it. There are three kinds of faults:
 *
 * <ul>
 *   <li>{@link Faults} delay bytes. They apply to all connections, old and new, until they are set again;
 *   <li>{@link #cut}, {@link #cutNext} and {@link #disconnectAll} end connections;
 *   <li>{@link #refuseConnections} refuses new connections.
 * </ul>
 *
 * <p>All methods are thread-safe. Only {@link #close}, {@link #refuseConnections} and the {@code await} methods block.
 * {@link #close} leaves no thread and no socket. Each connection uses four threads, so the proxy suits tests with
 * hundreds of connections.
 */
public final class FaultProxy implements AutoCloseable {

    /** Maximum time for connecting to the server. Connecting takes this long only if the server's backlog is full. */
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);

    private final ProxyStats proxyStats = new ProxyStats();
    private final ReentrantLock lock = new ReentrantLock();
    // The next three fields are guarded by the lock.
    private final List<ProxyConnection> connections = new ArrayList<>();
    private final Map<Direction, Faults> faults = new EnumMap<>(Direction.class);
    private final Queue<PlannedCut> plannedCuts = new ArrayDeque<>();

    private volatile InetSocketAddress server;
    private volatile boolean resetting;
    /**
     * Methods of this listener are not called with the lock held, because they wait for the accepting thread, which
     * also needs the lock.
     */
    private final ReopenableListener reopenableListener;

    private FaultProxy(InetSocketAddress server) {
        this.server = server;
        this.reopenableListener = new ReopenableListener(this::accept);
    }

    /**
     * Opens a free loopback port in front of the server at {@code host} and {@code port}. The server does not have to
     * listen yet.
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
     * Sets the faults of one direction, for current and future connections and for bytes that are already in the proxy.
     */
    public void faults(Direction direction, Faults now) {
        locked(() -> {
            faults.put(direction, now);
            connections.forEach(
                    connection -> connection.pump(direction).transit().faults(now));
        });
    }

    /** Sets the faults of both directions. A {@link Faults#delay} applies once each way. */
    public void faults(Faults now) {
        for (Direction direction : Direction.values()) {
            faults(direction, now);
        }
    }

    /**
     * Holds all bytes of {@code direction} back until {@link #resume}. The other faults of the direction stay in
     * effect.
     */
    public void stall(Direction direction) {
        locked(() -> faults(direction, faultsOf(direction).withStalled(true)));
    }

    /** Ends {@link #stall}. All bytes that were held back are forwarded. */
    public void resume(Direction direction) {
        locked(() -> faults(direction, faultsOf(direction).withStalled(false)));
    }

    /**
     * Ends {@code direction} of every open connection after exactly {@code afterBytes} more bytes, 0 or more, were
     * forwarded:
     *
     * <ul>
     *   <li>{@link ConnectionEnd#CLOSE}: the receiver reads the end of the stream. Later bytes of the sender are
     *       dropped. The other direction stays open until the receiver ends it, as after a half-close.
     *   <li>{@link ConnectionEnd#RESET}: both ends are reset, in both directions. The bytes were handed to the
     *       receiver's system, but a reset may discard bytes that the receiver has not read yet.
     *   <li>{@link ConnectionEnd#SILENCE}: later bytes are read and dropped. The receiver receives nothing more, not
     *       even the end of the stream.
     * </ul>
     *
     * <p>A later call replaces a cut that has not happened yet. A connection counts as open once one of its bytes was
     * forwarded.
     */
    public void cut(Direction direction, long afterBytes, ConnectionEnd connectionEnd) {
        PlannedCut cut = new PlannedCut(direction, afterBytes, connectionEnd);
        locked(() -> connections.forEach(cut::applyTo));
    }

    /**
     * Plans a cut, as described at {@link #cut}, for the next connection, counted from its first byte. Each further
     * call plans a cut for the connection after that.
     */
    public void cutNext(Direction direction, long afterBytes, ConnectionEnd connectionEnd) {
        PlannedCut cut = new PlannedCut(direction, afterBytes, connectionEnd);
        locked(() -> plannedCuts.add(cut));
    }

    /**
     * Ends both directions of every open connection at once and drops the bytes in the proxy; see {@link #cut}. With
     * {@link ConnectionEnd#SILENCE} the connections are half-open: they stay up on both ends, and neither end receives
     * anything, until the client closes its end.
     */
    public void disconnectAll(ConnectionEnd connectionEnd) {
        locked(() -> connections.forEach(connection -> connection.end(connectionEnd)));
    }

    /** Refuses new connections as {@code how} says. Open connections stay. */
    public void refuseConnections(RefusalMode how) {
        resetting = how == RefusalMode.RESET;
        switch (how) {
            case RESET -> reopenableListener.open();
            case CLOSED_PORT -> reopenableListener.closeForNow();
        }
    }

    /** Ends {@link #refuseConnections}, on the same port. */
    public void acceptConnections() {
        resetting = false;
        reopenableListener.open();
    }

    /** Number of connections forwarded to the server. */
    public int acceptedConnections() {
        return proxyStats.acceptedConnections();
    }

    /**
     * Number of connections that were accepted and reset, because the test requested {@link RefusalMode#RESET} or
     * because the server is not reachable.
     */
    public int refusedConnections() {
        return proxyStats.refusedConnections();
    }

    /** Number of accepted connections that the client has not closed and that were not reset. */
    public int openConnections() {
        return proxyStats.openConnections();
    }

    /** Number of bytes forwarded in {@code direction}, over all connections. */
    public long forwardedBytes(Direction direction) {
        return proxyStats.forwardedBytes(direction);
    }

    /** Waits until {@code count} connections were accepted. */
    public void awaitAccepted(int count, Duration timeout) {
        proxyStats.awaitAccepted(count, timeout);
    }

    /** Waits until {@code count} connections were refused. */
    public void awaitRefused(int count, Duration timeout) {
        proxyStats.awaitRefused(count, timeout);
    }

    /** Waits until exactly {@code count} connections are open. */
    public void awaitOpen(int count, Duration timeout) {
        proxyStats.awaitOpen(count, timeout);
    }

    /** Waits until {@code bytes} bytes were forwarded in {@code direction}, over all connections. */
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

    /** A connection to the server; empty if connections are refused or the server is not reachable. */
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
