// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ServerSocketFactory;

/**
 * A server that sends each byte back to the client. When the client ends its stream, the server ends its stream too.
 */
final class EchoServer implements AutoCloseable {

    private final ServerSocket listener;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final List<Thread> threads = new CopyOnWriteArrayList<>();

    EchoServer() throws IOException {
        this(ServerSocketFactory.getDefault());
    }

    EchoServer(ServerSocketFactory factory) throws IOException {
        listener = factory.createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        threads.add(Thread.ofPlatform().name("echo-acceptor").start(this::accept));
    }

    String host() {
        return listener.getInetAddress().getHostAddress();
    }

    int port() {
        return listener.getLocalPort();
    }

    @Override
    public void close() throws IOException, InterruptedException {
        listener.close();
        threads.getFirst().join();
        for (Socket socket : sockets) {
            socket.close();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listener.accept();
                sockets.add(socket);
                threads.add(Thread.ofPlatform().name("echo").start(() -> echo(socket)));
            }
        } catch (IOException e) {
            // The listening socket was closed, so this thread ends.
        }
    }

    private static void echo(Socket socket) {
        try (socket) {
            socket.getInputStream().transferTo(socket.getOutputStream());
        } catch (IOException e) {
            // The client is gone.
        }
    }
}
