// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.network;

import io.millrace.lab.server.LabException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * A TCP proxy on loopback whose connections can be cut, refused and made silent. The server behind the proxy continues.
 * Connections beyond {@link #MAX_CONNECTIONS} are reset. One thread calls the methods.
 */
public final class CuttableProxy implements AutoCloseable {

    /** Maximum of the kernel by default, so that thousands of clients can connect at once. */
    private static final int BACKLOG = 4096;

    /** Each connection has two files. A process may often have 20,000, or only some thousands. */
    static final int MAX_CONNECTIONS = 4_000;

    /** After a failure of accept, so that the failure is not reported thousands of times. */
    private static final Duration PAUSE = Duration.ofMillis(100);

    private static final Logger LOG = System.getLogger(CuttableProxy.class.getName());

    private static final CountDownLatch OPEN = new CountDownLatch(0);

    private final Duration delay;
    private final int maxConnections;
    private final Map<Connection, Thread> connections = new ConcurrentHashMap<>();

    /** All bytes wait until this latch is down. */
    private final AtomicReference<CountDownLatch> gate = new AtomicReference<>(OPEN);

    private volatile InetSocketAddress target;
    private ServerSocket listener;
    private Thread acceptor;

    private CuttableProxy(InetSocketAddress target, Duration delay, int maxConnections, ServerSocket listener) {
        this.target = target;
        this.delay = delay;
        this.maxConnections = maxConnections;
        this.listener = listener;
        this.acceptor = startAcceptor(listener);
    }

    /** Starts a proxy in front of {@code host} and {@code port}. The server need not answer yet. */
    public static CuttableProxy start(String host, int port) {
        return start(host, port, Duration.ZERO);
    }

    /** Starts a proxy that adds {@code delay} to a round trip, half of the delay to each direction. */
    static CuttableProxy start(String host, int port, Duration delay) {
        return start(host, port, delay, MAX_CONNECTIONS);
    }

    static CuttableProxy start(String host, int port, Duration delay, int maxConnections) {
        try {
            return new CuttableProxy(address(host, port), delay, maxConnections, bind(0));
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
        return Thread.ofVirtual().name("lab-proxy-acceptor").start(() -> {
            while (!listening.isClosed()) {
                try {
                    admit(listening.accept());
                } catch (IOException | RuntimeException | Error e) {
                    reportUnlessClosed(listening, e);
                }
            }
        });
    }

    /** {@link #refuse} closes the listener. Every other failure, such as too many open files, may pass. */
    private static void reportUnlessClosed(ServerSocket listening, Throwable failure) {
        if (!listening.isClosed()) {
            try {
                LOG.log(
                        Level.WARNING,
                        "a proxy of the lab cannot accept a connection: port=" + listening.getLocalPort() + ", cause="
                                + failure + ". Look at the limit of open files.");
            } catch (RuntimeException | Error e) {
                // Without free files, the first line of the log cannot load the time zones.
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    /** A client that opens connections without end must not take all files of the lab. */
    private void admit(Socket client) throws IOException {
        if (connections.size() < maxConnections) {
            start(client);
        } else {
            client.setSoLinger(true, 0);
            client.close();
        }
    }

    private void start(Socket client) {
        var connection = new Connection(client, delay, gate);
        Thread thread = Thread.ofVirtual().name("lab-proxy-connection").unstarted(() -> {
            connection.run(target);
            connections.remove(connection);
        });
        connections.put(connection, thread);
        thread.start();
    }

    /** The address for clients: always {@code 127.0.0.1}. */
    public String host() {
        return "127.0.0.1";
    }

    /** The port for clients. */
    public int port() {
        return listener.getLocalPort();
    }

    /** Resets all connections, and returns when they have ended. New connections are accepted. */
    public void cut() {
        List<Thread> running = List.copyOf(connections.values());
        running.forEach(Thread::interrupt);
        running.forEach(CuttableProxy::join);
    }

    /** Resets all connections, and refuses new ones until {@link #restore}. */
    public void refuse() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        join(acceptor);
        cut();
    }

    /** Waits for {@code thread}. An interrupt does not end the wait, and is kept. */
    private static void join(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Stops all bytes until {@link #restore}. Connections stay open, and new ones are accepted. As in a network that
     * loses packets for a while, the bytes are delivered after {@code restore}.
     */
    public void silence() {
        gate.compareAndSet(OPEN, new CountDownLatch(1));
    }

    /** Ends {@link #refuse} and {@link #silence}. */
    public void restore() {
        gate.getAndSet(OPEN).countDown();
        if (listener.isClosed()) {
            try {
                listener = bind(port());
                acceptor = startAcceptor(listener);
            } catch (IOException e) {
                throw new UncheckedIOException("the proxy cannot listen again: port=" + port(), e);
            }
        }
    }

    /** New connections go to this server. Open connections stay where they are. */
    public void switchTo(String host, int port) {
        target = address(host, port);
    }

    /** Bytes of all connections that wait for their time. */
    long heldBytes() {
        return connections.keySet().stream().mapToLong(Connection::heldBytes).sum();
    }

    int connections() {
        return connections.size();
    }

    /** Ends all connections and threads. Bytes that wait are lost. */
    @Override
    public void close() {
        refuse();
    }
}
