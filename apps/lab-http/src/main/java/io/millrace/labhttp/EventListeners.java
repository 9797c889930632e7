// SPDX-License-Identifier: Apache-2.0
package io.millrace.labhttp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Listeners to one event stream, each with a separate connection. The first listener never reads. The others read in
 * virtual threads to the end of the stream. Used by one thread.
 */
final class EventListeners implements AutoCloseable {

    /** The server accepts so many streams of one address. */
    private static final int PER_ADDRESS = 8;

    private static final int SMALL_BUFFER_BYTES = 1_024;

    private final List<HttpConnection> connections = new ArrayList<>();
    private final List<Thread> readers = new ArrayList<>();
    private final AtomicInteger ends = new AtomicInteger();

    /** Opens {@code count} streams from several addresses of this machine. */
    static EventListeners open(int port, String path, int count) throws IOException {
        var listeners = new EventListeners();
        try {
            for (int i = 0; i < count; i++) {
                listeners.add(connect(port, 1 + i / PER_ADDRESS), path, i > 0);
            }
            return listeners;
        } catch (IOException e) {
            listeners.close();
            throw e;
        }
    }

    private static HttpConnection connect(int port, int address) throws IOException {
        var socket = new Socket();
        try {
            socket.setReceiveBufferSize(SMALL_BUFFER_BYTES);
            socket.bind(new InetSocketAddress(HttpConnection.loopback(address), 0));
            socket.connect(new InetSocketAddress(HttpConnection.loopback(1), port));
            return HttpConnection.of(socket);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    private void add(HttpConnection connection, String path, boolean isReading) throws IOException {
        connections.add(connection);
        connection.send(
                "GET " + path + " HTTP/1.1\r\nHost: " + HttpConnection.SERVER + "\r\nConnection: close\r\n\r\n");
        if (isReading) {
            readers.add(Thread.ofVirtual().name("lab-listener").start(() -> read(connection)));
        }
    }

    private void read(HttpConnection connection) {
        try {
            ends.addAndGet(connection.countLines("event: end"));
        } catch (IOException e) {
            // The listener has got no end. The caller compares the number of ends.
        }
    }

    /** Waits for the ends of the streams, and returns the number of listeners that got the last event. */
    int awaitEnds() throws InterruptedException {
        for (Thread reader : readers) {
            reader.join();
        }
        return ends.get();
    }

    @Override
    public void close() throws IOException {
        for (HttpConnection connection : connections) {
            connection.close();
        }
    }
}
