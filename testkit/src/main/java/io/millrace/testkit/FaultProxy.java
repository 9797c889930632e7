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
 * A network that a test can spoil: a loopback port whose connections lead to a server, and faults in either direction that can
 * be set at any time.
 *
 * <p>It knows nothing of what it passes on: RESP, TLS or anything else over TCP. Each client connection has a server connection of
 * its own; the end of the stream and resets are passed on behind the bytes before them. Faults are of three kinds:
 *
 * <ul>
 *   <li>{@link Faults}, which make bytes late and hold for all connections, old and new, until they are set anew;
 *   <li>{@link #cut}, {@link #cutNext} and {@link #disconnectAll}, which end connections;
 *   <li>{@link #refuseConnections}, which keeps new ones out.
 * </ul>
 *
 * <p>Any thread may call any method. Only {@link #close}, {@link #refuseConnections} and the methods that {@code await} something
 * wait; {@link #close} leaves no thread and no socket. Four threads serve each connection, so it suits tests with hundreds of them.
 */
public final class FaultProxy implements AutoCloseable {

    /** How long the server may take to accept; its backlog has to be full for that to matter. */
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);

    private final Tally tally = new Tally();
    private final ReentrantLock lock = new ReentrantLock();
    // The next three are guarded by the lock.
    private final List<ProxyConnection> connections = new ArrayList<>();
    private final Map<Direction, Faults> faults = new EnumMap<>(Direction.class);
    private final Queue<PlannedCut> plannedCuts = new ArrayDeque<>();

    private volatile InetSocketAddress server;
    private volatile boolean resetting;
    /** Never called with the lock held: it waits for the thread that accepts, which takes the lock. */
    private final Doorway doorway;

    private FaultProxy(InetSocketAddress server) {
        this.server = server;
        this.doorway = new Doorway(this::welcome);
    }

    /** Opens a free loopback port in front of the server at {@code host} and {@code port}, which need not listen yet. */
    public static FaultProxy inFrontOf(String host, int port) {
        return new FaultProxy(new InetSocketAddress(host, port));
    }

    /** The loopback address it listens on. */
    public String host() {
        return doorway.address().getAddress().getHostAddress();
    }

    /** The port it listens on: the same for its whole life. */
    public int port() {
        return doorway.address().getPort();
    }

    /** Leads new connections to another server, such as one that was started in the place of a dead one. */
    public void forwardTo(String host, int port) {
        server = new InetSocketAddress(host, port);
    }

    /** Sets the faults of one direction, for connections of now and later and for bytes that are under way already. */
    public void faults(Direction direction, Faults now) {
        locked(() -> {
            faults.put(direction, now);
            connections.forEach(
                    connection -> connection.pump(direction).transit().faults(now));
        });
    }

    /** Sets the faults of both directions. A {@link Faults#delay} counts once each way. */
    public void faults(Faults now) {
        for (Direction direction : Direction.values()) {
            faults(direction, now);
        }
    }

    /** Lets nothing leave in {@code direction} until {@link #resume}; its other faults stay. */
    public void stall(Direction direction) {
        locked(() -> faults(direction, faultsOf(direction).withStalled(true)));
    }

    /** Ends {@link #stall}: what was held back leaves, nothing is missing. */
    public void resume(Direction direction) {
        locked(() -> faults(direction, faultsOf(direction).withStalled(false)));
    }

    /**
     * Ends {@code direction} of every open connection once exactly {@code afterBytes} more bytes, 0 or more, have left in it:
     *
     * <ul>
     *   <li>{@link Ending#CLOSE}: the receiver reads the end of the stream; what the sender still sends is dropped. The other
     *       direction goes on until the receiver ends it, as after a half-close.
     *   <li>{@link Ending#RESET}: both ends are reset, in both directions. The bytes were handed to the receiver's system, but a
     *       reset may overtake what the receiver has not read yet.
     *   <li>{@link Ending#SILENCE}: what follows is read and dropped, and the receiver hears nothing more, not even an end.
     * </ul>
     *
     * <p>A later call replaces one that has not struck yet. A connection is open here once a byte of it has passed.
     */
    public void cut(Direction direction, long afterBytes, Ending ending) {
        PlannedCut cut = new PlannedCut(direction, afterBytes, ending);
        locked(() -> connections.forEach(cut::applyTo));
    }

    /** Plans the same for the next connection, counted from its first byte; planned again, for the one after it. */
    public void cutNext(Direction direction, long afterBytes, Ending ending) {
        PlannedCut cut = new PlannedCut(direction, afterBytes, ending);
        locked(() -> plannedCuts.add(cut));
    }

    /**
     * Ends both directions of every open connection at once and drops what is under way; see {@link #cut}. With
     * {@link Ending#SILENCE} the connections are half-open: both ends believe in them and neither hears anything, until the client
     * ends its own.
     */
    public void disconnectAll(Ending ending) {
        locked(() -> connections.forEach(connection -> connection.end(ending)));
    }

    /** Keeps new connections out in the manner of {@code how}; those that are open stay. */
    public void refuseConnections(Refusal how) {
        resetting = how == Refusal.RESET;
        switch (how) {
            case RESET -> doorway.open();
            case CLOSED_PORT -> doorway.closeForNow();
        }
    }

    /** Ends {@link #refuseConnections}, on the same port. */
    public void acceptConnections() {
        resetting = false;
        doorway.open();
    }

    /** How many connections were led to the server. */
    public int acceptedConnections() {
        return tally.acceptedConnections();
    }

    /** How many were accepted and reset: because the test wanted it, or because the server could not be reached. */
    public int refusedConnections() {
        return tally.refusedConnections();
    }

    /** How many accepted connections there are whose client has not ended them, and which were not reset. */
    public int openConnections() {
        return tally.openConnections();
    }

    /** How many bytes left in {@code direction}, over all connections. */
    public long forwardedBytes(Direction direction) {
        return tally.forwardedBytes(direction);
    }

    /** Waits until {@code count} connections were accepted. */
    public void awaitAccepted(int count, Duration patience) {
        tally.awaitAccepted(count, patience);
    }

    /** Waits until {@code count} connections were refused. */
    public void awaitRefused(int count, Duration patience) {
        tally.awaitRefused(count, patience);
    }

    /** Waits until exactly {@code count} connections are open. */
    public void awaitOpen(int count, Duration patience) {
        tally.awaitOpen(count, patience);
    }

    /** Waits until {@code bytes} bytes have left in {@code direction}, over all connections. */
    public void awaitForwarded(Direction direction, long bytes, Duration patience) {
        tally.awaitForwarded(direction, bytes, patience);
    }

    /** Closes the port and every connection, and waits for all threads. */
    @Override
    public void close() {
        doorway.close();
        locked(() -> {
            connections.forEach(ProxyConnection::close);
            connections.forEach(ProxyConnection::join);
        });
    }

    private void welcome(Socket client) {
        Optional<Socket> toServer = connect();
        if (toServer.isPresent()) {
            locked(() -> admit(client, toServer.get()));
        } else {
            Sockets.reset(client);
            tally.refused();
        }
    }

    /** A connection to the server, unless connections are refused or it is not there. */
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
                "fault-proxy-" + tally.acceptedConnections(),
                client,
                toServer,
                faultsOf(Direction.TO_SERVER),
                faultsOf(Direction.TO_CLIENT),
                tally);
        Optional.ofNullable(plannedCuts.poll()).ifPresent(cut -> cut.applyTo(connection));
        connections.removeIf(old -> !old.isAlive());
        connections.add(connection);
        tally.accepted();
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

    private record PlannedCut(Direction direction, long afterBytes, Ending ending) {

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
