// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.network;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A way to a server, on loopback, that can be taken away while clients use it: so a server is lost to them that goes on
 * for others. Bytes are copied as they come, each way by a thread of its own. For any number of threads.
 */
public final class Door implements AutoCloseable {

    private static final int BUFFER_BYTES = 1 << 16;
    private static final int MOST_FAILURES = 10;
    private static final int CONNECT_MILLIS = (int) Duration.ofSeconds(10).toMillis();

    /** How a server is lost. */
    public enum Loss {
        /** Connections end, and new ones are refused. */
        GONE,
        /** Connections stay and new ones are taken, but no byte is passed on. */
        SILENT
    }

    private final ServerSocket listener;
    private final InetSocketAddress target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private final Thread acceptor;

    /** Set by whoever takes the server away. */
    private volatile boolean silent;

    /** Set by whoever shuts the door. */
    private volatile boolean shut;

    private Door(ServerSocket listener, InetSocketAddress target) {
        this.listener = listener;
        this.target = target;
        this.acceptor = thread(this::accept);
    }

    /** A door to {@code host} and {@code port}. */
    public static Door to(String host, int port) {
        try {
            var listener = new ServerSocket(0, 1_024, InetAddress.getLoopbackAddress());
            var door = new Door(listener, new InetSocketAddress(host, port));
            door.acceptor.start();
            return door;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String host() {
        return listener.getInetAddress().getHostAddress();
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** Takes the server away from all who come this way, for good. */
    public void lose(Loss loss) {
        switch (loss) {
            case GONE -> shut();
            case SILENT -> silent = true;
        }
    }

    /**
     * A listener that fails again and again fails for good, for want of file descriptors, say: clients are then
     * refused.
     */
    private void accept() {
        for (int failures = 0; !shut && failures < MOST_FAILURES; ) {
            try {
                var client = listener.accept();
                failures = 0;
                join(client);
            } catch (IOException e) {
                failures++;
            }
        }
        closeListener();
    }

    /** Where the server takes no more, the client is told by the end. */
    private void join(Socket client) {
        var server = new Socket();
        try {
            opened(client);
            opened(server);
            server.connect(target, CONNECT_MILLIS);
        } catch (IOException e) {
            close(client);
            close(server);
            return;
        }
        start(() -> copy(client, server));
        start(() -> copy(server, client));
    }

    /** One that is opened while the door is shut is closed here or there, or both. */
    private void opened(Socket socket) throws IOException {
        sockets.add(socket);
        socket.setTcpNoDelay(true);
        if (shut) {
            close(socket);
        }
    }

    private void copy(Socket from, Socket to) {
        var buffer = new byte[BUFFER_BYTES];
        try {
            for (int length = from.getInputStream().read(buffer);
                    length >= 0;
                    length = from.getInputStream().read(buffer)) {
                if (!silent) {
                    to.getOutputStream().write(buffer, 0, length);
                }
            }
        } catch (IOException e) {
            // The other end has gone: so does this one.
        } finally {
            close(from);
            close(to);
        }
    }

    private void start(Runnable part) {
        thread(part).start();
    }

    private Thread thread(Runnable part) {
        var thread = Thread.ofVirtual().name("lab-door").unstarted(() -> {
            try {
                part.run();
            } finally {
                threads.remove(Thread.currentThread());
            }
        });
        threads.add(thread);
        return thread;
    }

    private void shut() {
        shut = true;
        closeListener();
        sockets.forEach(this::close);
        Threads.join(acceptor); // only then is nobody taken any more
    }

    private void closeListener() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void close(Socket socket) {
        sockets.remove(socket);
        try {
            socket.close();
        } catch (IOException e) {
            // It is of no use any more.
        }
    }

    /** Shuts it; returns when nothing of it is left. */
    @Override
    public void close() {
        shut();
        while (!threads.isEmpty()) {
            Threads.join(threads.toArray(Thread[]::new));
        }
    }
}
