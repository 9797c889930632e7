// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.network;

import io.millrace.lab.server.LabException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Accepts clients on a port of loopback and runs a {@link Connection} for each. Safe for any thread. */
final class ProxyListener implements AutoCloseable {

    /** Maximum of the kernel by default, so that thousands of clients can connect at once. */
    private static final int BACKLOG = 4096;

    private static final int FAILURES_LIMIT = 10;

    private final Direction.Path path;
    private final Map<Connection, Thread> connections = new ConcurrentHashMap<>();

    private volatile InetSocketAddress target;

    /** Replaced by {@link #listen} only. */
    private volatile ServerSocket socket;

    /** Replaced by {@link #listen} only. */
    private volatile Thread acceptor;

    private ProxyListener(InetSocketAddress target, Direction.Path path, ServerSocket socket) {
        this.target = target;
        this.path = path;
        this.socket = socket;
        this.acceptor = startAcceptor(socket);
    }

    static ProxyListener start(String host, int port, Direction.Path path) {
        try {
            return new ProxyListener(address(host, port), path, bind(0));
        } catch (IOException e) {
            throw new LabException(
                    "no proxy can be started: target=" + host + ":" + port + ", cause=" + e.getMessage()
                            + ". Look at the limit of open files.",
                    e);
        }
    }

    static InetSocketAddress address(String host, int port) {
        var address = new InetSocketAddress(host, port);
        if (address.isUnresolved()) {
            throw new LabException("the host is unknown: host=" + host + ", port=" + port + ". Check the spelling.");
        }
        return address;
    }

    private static ServerSocket bind(int port) throws IOException {
        return new ServerSocket(port, BACKLOG, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
    }

    private Thread startAcceptor(ServerSocket listening) {
        return Thread.ofVirtual().name("lab-proxy-acceptor").start(() -> accept(listening));
    }

    private void accept(ServerSocket listening) {
        int failures = 0;
        while (!listening.isClosed() && failures < FAILURES_LIMIT) {
            try {
                start(listening.accept());
                failures = 0;
            } catch (IOException e) {
                failures++;
            }
        }
        close(listening);
    }

    private void start(Socket client) {
        var connection = new Connection(client, path);
        Thread thread = Thread.ofVirtual().name("lab-proxy-connection").unstarted(() -> {
            connection.run(target);
            connections.remove(connection);
        });
        connections.put(connection, thread);
        thread.start();
    }

    String host() {
        return "127.0.0.1";
    }

    int port() {
        return socket.getLocalPort();
    }

    int connections() {
        return connections.size();
    }

    /** Connections that are accepted from now on go to this server. */
    void switchTo(String host, int port) {
        target = address(host, port);
    }

    /** Resets all connections, and returns when they have ended. */
    void cut() {
        List<Thread> running = List.copyOf(connections.values());
        connections.keySet().forEach(Connection::reset);
        running.forEach(Thread::interrupt);
        Threads.join(running);
    }

    /** Refuses new connections until {@link #listen}. Connections that are open stay. */
    void refuse() {
        close(socket);
        Threads.join(List.of(acceptor));
    }

    /** Accepts connections again, on the same port. */
    void listen() {
        if (!socket.isClosed()) {
            return;
        }
        try {
            socket = bind(socket.getLocalPort());
            acceptor = startAcceptor(socket);
        } catch (IOException e) {
            throw new UncheckedIOException("the proxy cannot listen again: port=" + port(), e);
        }
    }

    private static void close(ServerSocket listening) {
        try {
            listening.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends the listener, all connections and all threads. Bytes that wait are lost. */
    @Override
    public void close() {
        refuse();
        cut();
    }

    /** A path that adds {@code roundTrip} to both directions together. */
    static Direction.Path delayed(Duration roundTrip) {
        return new Direction.Path(roundTrip.toNanos() / 2, new MemoryLimit(), new Gate());
    }
}
