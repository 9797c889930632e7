// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.network;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** Sends all bytes back, and ends its stream when the client ends its own. */
final class EchoServer implements AutoCloseable {

    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final Thread acceptor = Thread.ofVirtual().start(this::accept);

    EchoServer() throws IOException {}

    int port() {
        return listener.getLocalPort();
    }

    private void accept() {
        List<Thread> threads = new ArrayList<>();
        try {
            while (true) {
                Socket client = listener.accept();
                threads.add(Thread.ofVirtual().start(() -> echo(client)));
            }
        } catch (IOException e) {
            // The test has closed the listener.
        }
        Threads.join(threads);
    }

    private static void echo(Socket client) {
        try (client) {
            client.getInputStream().transferTo(client.getOutputStream());
        } catch (IOException e) {
            // The client sees the end of the connection.
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        Threads.join(List.of(acceptor));
    }
}
