// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.network;

import java.time.Duration;

/**
 * A TCP proxy on loopback whose connections can be cut, refused and made silent. The server behind the proxy continues.
 * Safe for any thread.
 */
public final class CuttableProxy implements AutoCloseable {

    private final Direction.Path path = ProxyListener.delayed(Duration.ZERO);
    private final ProxyListener listener;

    private CuttableProxy(String host, int port) {
        listener = ProxyListener.start(host, port, path);
    }

    /** Starts a proxy in front of {@code host} and {@code port}. The server need not answer yet. */
    public static CuttableProxy start(String host, int port) {
        return new CuttableProxy(host, port);
    }

    /** The address for clients: always {@code 127.0.0.1}. */
    public String host() {
        return listener.host();
    }

    /** The port for clients. */
    public int port() {
        return listener.port();
    }

    /** Resets all connections. New connections are accepted. */
    public void cut() {
        listener.cut();
    }

    /** Resets all connections, and refuses new ones until {@link #restore}. */
    public void refuse() {
        listener.refuse();
        listener.cut();
    }

    /**
     * Stops all bytes until {@link #restore}. Connections stay open, and new ones are accepted. As in a network that
     * loses packets for a while, the bytes are delivered after {@code restore}.
     */
    public void silence() {
        path.gate().shut();
    }

    /** Ends {@link #refuse} and {@link #silence}. */
    public void restore() {
        path.gate().open();
        listener.listen();
    }

    /** New connections go to this server. Open connections stay where they are. */
    public void switchTo(String host, int port) {
        listener.switchTo(host, port);
    }

    /** Ends all connections and threads. */
    @Override
    public void close() {
        listener.close();
    }
}
