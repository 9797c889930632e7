// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.network;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A connection of a client through a proxy: two sockets, and four virtual threads. */
final class Connection {

    private static final int CONNECT_MILLIS = (int) Duration.ofSeconds(10).toMillis();

    private final Socket client;
    private final Socket server = new Socket();
    private final Direction up;
    private final Direction down;
    private final Direction.Path path;
    private final AtomicInteger endedOutputs = new AtomicInteger();

    Connection(Socket client, Direction.Path path) {
        this.client = client;
        this.path = path;
        this.up = new Direction(this, client, server, path);
        this.down = new Direction(this, server, client, path);
    }

    /** Connects to {@code target}, passes bytes, and returns when the connection has ended. */
    void run(InetSocketAddress target) {
        List<Thread> threads = new ArrayList<>();
        try {
            // A connection costs a round trip, as in a network.
            Thread.sleep(Duration.ofNanos(2 * path.oneWayNanos()));
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            server.connect(target, CONNECT_MILLIS);
            for (Action action : List.<Action>of(up::read, up::deliver, down::read, down::deliver)) {
                threads.add(Thread.ofVirtual().name("lab-proxy").start(() -> runUntilInterrupted(action)));
            }
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (IOException | InterruptedException e) {
            // The client sees the reset below.
        } finally {
            reset();
            end(threads);
        }
    }

    private interface Action {
        void run() throws InterruptedException;
    }

    private static void runUntilInterrupted(Action action) {
        try {
            action.run();
        } catch (InterruptedException e) {
            // The proxy closes this connection.
        }
    }

    private void end(List<Thread> threads) {
        threads.forEach(Thread::interrupt);
        Threads.join(threads);
        up.drop();
        down.drop();
    }

    Direction opposite(Direction direction) {
        return direction == up ? down : up;
    }

    /** Ends the stream to {@code sink}. After the end of both streams, both sockets are closed. */
    void endOutput(Socket sink) {
        try {
            sink.shutdownOutput();
        } catch (IOException e) {
            reset();
        }
        if (endedOutputs.incrementAndGet() == 2) {
            close(client);
            close(server);
        }
    }

    /** Closes both sockets, with a reset for both peers. */
    void reset() {
        for (Socket socket : List.of(client, server)) {
            try {
                if (!socket.isClosed()) {
                    socket.setSoLinger(true, 0);
                }
            } catch (IOException e) {
                // The socket is closed already.
            }
            close(socket);
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // The socket cannot be used any more, which is all that the proxy wants.
        }
    }
}
