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

/** A loopback port and the thread that accepts on it; it can be closed and opened again under the same number. */
final class Doorway {

    /** More than any test has clients that connect at once. */
    private static final int BACKLOG = 1024;

    private final Consumer<Socket> visitor;
    private final InetSocketAddress address;
    private final ReentrantLock lock = new ReentrantLock();
    // Both are guarded by the lock; nothing is there while the port is closed.
    private Optional<Open> open;
    private Optional<Socket> reservation = Optional.empty();

    /** Opens a free port; {@code visitor} is given each connection on the accepting thread. */
    Doorway(Consumer<Socket> visitor) {
        this.visitor = visitor;
        Open first = listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
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

    /** Closes the port for good, once the accepting thread has ended. */
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

    /** Closes the port until it is opened again. Connections that nobody has accepted yet are reset. */
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
        open.ifPresent(Open::close);
        open = Optional.empty();
    }

    /**
     * Keeps the number from being given to another socket meanwhile; without listening, so that connecting to it fails. Where
     * the system does not allow that, only luck keeps the number.
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

    private Open listen(InetSocketAddress at) {
        try {
            ServerSocket listener = new ServerSocket();
            listener.setReuseAddress(true);
            listener.bind(at, BACKLOG);
            Thread acceptor = Thread.ofPlatform().name("fault-proxy-acceptor").unstarted(() -> accept(listener));
            acceptor.start();
            return new Open(listener, acceptor);
        } catch (IOException e) {
            throw new UncheckedIOException("a proxy cannot listen: address=" + at, e);
        }
    }

    private void accept(ServerSocket listener) {
        try {
            while (true) {
                visitor.accept(listener.accept());
            }
        } catch (IOException e) {
            // The listener was closed, which is how this thread ends.
        }
    }

    private record Open(ServerSocket listener, Thread acceptor) {

        void close() {
            try {
                listener.close();
                acceptor.join();
            } catch (IOException e) {
                throw new UncheckedIOException("a proxy's port cannot be closed", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
