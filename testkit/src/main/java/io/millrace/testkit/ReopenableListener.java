// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * A loopback port, and the thread that accepts its connections. The port can be closed and opened again. It always has
 * the same number.
 */
final class ReopenableListener {

    /** Maximum number of connections that wait for acceptance. No test opens so many connections at once. */
    private static final int BACKLOG = 1024;

    private final Consumer<Socket> onConnection;
    private final InetSocketAddress address;
    private final ReentrantLock lock = new ReentrantLock();
    // Threads access both fields only under the lock. {@code open} is empty while the port is closed. {@code
    // reservation} is empty while the port is open.
    private Optional<OpenListener> open;
    private Optional<Socket> reservation = Optional.empty();

    /** Opens a free port. The accepting thread passes each connection to {@code onConnection}. */
    ReopenableListener(Consumer<Socket> onConnection) {
        this.onConnection = onConnection;
        OpenListener first = listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        this.open = Optional.of(first);
        this.address = (InetSocketAddress) first.listener.getLocalSocketAddress();
    }

    InetSocketAddress address() {
        return address;
    }

    void open() {
        lock.lock();
        try {
            if (open.isEmpty()) {
                open = Optional.of(listen(address));
                reservation.ifPresent(Sockets::close);
                reservation = Optional.empty();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Closes the port permanently, and waits until the accepting thread has ended. */
    void close() {
        lock.lock();
        try {
            shut();
            reservation.ifPresent(Sockets::close);
            reservation = Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    /** Closes the port until {@link #open} is called. Connections that were not accepted yet are reset. */
    void closeForNow() {
        lock.lock();
        try {
            if (open.isPresent()) {
                shut();
                reservation = reserve();
            }
        } finally {
            lock.unlock();
        }
    }

    private void shut() {
        open.ifPresent(OpenListener::close);
        open = Optional.empty();
    }

    /**
     * Binds a socket to the port number while the port is closed, so that no other socket gets the number. This socket
     * does not listen, so clients still cannot connect. If the system refuses the bind, the number is not reserved and
     * the result is empty.
     */
    private Optional<Socket> reserve() {
        Socket socket = new Socket();
        try {
            socket.setReuseAddress(true);
            socket.bind(address);
            return Optional.of(socket);
        } catch (IOException e) {
            Sockets.close(socket);
            return Optional.empty();
        }
    }

    private OpenListener listen(InetSocketAddress at) {
        try {
            ServerSocket listener = new ServerSocket();
            listener.setReuseAddress(true);
            listener.bind(at, BACKLOG);
            Thread acceptor = Thread.ofPlatform().name("fault-proxy-acceptor").unstarted(() -> accept(listener));
            acceptor.start();
            return new OpenListener(listener, acceptor);
        } catch (IOException e) {
            throw new UncheckedIOException("a fault proxy cannot listen on its port: address=" + at, e);
        }
    }

    private void accept(ServerSocket listener) {
        try {
            while (true) {
                onConnection.accept(listener.accept());
            }
        } catch (IOException e) {
            // The listening socket was closed, so this thread ends.
        }
    }

    private record OpenListener(ServerSocket listener, Thread acceptor) {

        void close() {
            try {
                listener.close();
                acceptor.join();
            } catch (IOException e) {
                throw new UncheckedIOException("a fault proxy cannot close its port", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
