// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.net.Socket;
import java.util.List;
import java.util.stream.Stream;

/**
 * One connection through a {@link FaultProxy}. It consists of two sockets, to the client and to the server, and of one
 * {@link Pump} for each direction.
 *
 * <p>While the proxy is open, it closes both sockets in three cases:
 *
 * <ul>
 *   <li>both directions have ended;
 *   <li>one direction was reset;
 *   <li>the client has closed its connection, but the direction to the server ended with {@link ConnectionEnd#SILENCE}.
 *       The server then never receives the end of the stream, so the proxy does not wait for the server.
 * </ul>
 *
 * <p>Because of the third case, no silent connection stays open without its client.
 */
final class ProxyConnection {

    private final Socket client;
    private final Socket server;
    private final ProxyStats proxyStats;
    private final Pump toServer;
    private final Pump toClient;

    ProxyConnection(
            String name, Socket client, Socket server, Faults toServer, Faults toClient, ProxyStats proxyStats) {
        this.client = client;
        this.server = server;
        this.proxyStats = proxyStats;
        this.toServer = new Pump(name + "-to-server", Direction.TO_SERVER, client, server, toServer, this);
        this.toClient = new Pump(name + "-to-client", Direction.TO_CLIENT, server, client, toClient, this);
    }

    void start() {
        threads().forEach(Thread::start);
    }

    ProxyStats tally() {
        return proxyStats;
    }

    Pump pump(Direction direction) {
        return direction == Direction.TO_SERVER ? toServer : toClient;
    }

    Pump opposite(Direction direction) {
        return direction == Direction.TO_SERVER ? toClient : toServer;
    }

    /** Ends both directions now. */
    void end(ConnectionEnd connectionEnd) {
        toClient.end(connectionEnd);
        toServer.end(connectionEnd);
    }

    /** Resets both ends. */
    void reset() {
        Sockets.reset(client);
        Sockets.reset(server);
        threads().forEach(Thread::interrupt);
    }

    /** Closes both sockets if both directions have ended, or if the client has closed a silent connection. */
    void closeIfOver() {
        FaultBuffer requests = toServer.transit();
        if (requests.isOver() && (toClient.transit().isOver() || requests.isSilent())) {
            close();
        }
    }

    void close() {
        Sockets.close(client);
        Sockets.close(server);
        threads().forEach(Thread::interrupt);
    }

    boolean isAlive() {
        return threads().anyMatch(Thread::isAlive);
    }

    /** Waits until the threads of this connection have ended. Called after the connection was closed. */
    void join() {
        try {
            for (Thread thread : threads().toList()) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Stream<Thread> threads() {
        return Stream.of(toServer.threads(), toClient.threads()).flatMap(List::stream);
    }
}
