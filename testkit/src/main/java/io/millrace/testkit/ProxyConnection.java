// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.net.Socket;
import java.util.List;
import java.util.stream.Stream;

/**
 * A client's connection to a {@link FaultProxy} and the proxy's connection to the server, with a pump for each
 * direction.
 *
 * <p>Both sockets are closed when both directions have ended, or when either direction is reset. They are also closed
 * when the client has closed its connection and the server cannot receive the end of the stream, because the direction
 * to the server is silent. So no socket stays open without its client.
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

    /** Closes both ends if both directions have ended. */
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

    /** Waits for the threads of this connection after it was closed. */
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
