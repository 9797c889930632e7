// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.network;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A server on loopback that says what it hears, with a thread for each of the few connections it is made for. */
final class Echo implements AutoCloseable {

    private final ServerSocket listener;

    // Written by the accepting thread, read by the closing one when that has ended.
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final List<Thread> threads = new CopyOnWriteArrayList<>();

    private Echo(ServerSocket listener) {
        this.listener = listener;
    }

    static Echo start() throws IOException {
        var echo = new Echo(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
        echo.threads.add(
                Thread.ofPlatform().name("millrace-lab-echo-acceptor").daemon().start(echo::accept));
        return echo;
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    private void accept() {
        try {
            while (true) {
                var socket = listener.accept();
                sockets.add(socket);
                threads.add(
                        Thread.ofPlatform().name("millrace-lab-echo").daemon().start(() -> echo(socket)));
            }
        } catch (IOException e) {
            // The listener was closed, which is how this thread ends.
        }
    }

    private static void echo(Socket socket) {
        try (socket) {
            socket.setTcpNoDelay(true);
            socket.getInputStream().transferTo(socket.getOutputStream());
        } catch (IOException e) {
            // The other end has gone, or this one was closed.
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        Threads.join(threads.getFirst());
        for (var socket : sockets) {
            socket.close();
        }
        Threads.join(threads.toArray(Thread[]::new));
    }
}
