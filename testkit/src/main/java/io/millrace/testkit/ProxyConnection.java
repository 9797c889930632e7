// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.net.Socket;
import java.util.List;
import java.util.stream.Stream;

/**
 * A client's connection to a {@link FaultProxy} and the proxy's own one to the server, with a pump each way between them.
 *
 * <p>Both are closed when both directions are over, when either is reset, or when the client has gone and its end cannot reach the
 * server because that direction is silent: nothing is to outlive the client.
 */
final class ProxyConnection {

    private final Socket client;
    private final Socket server;
    private final Tally tally;
    private final Pump toServer;
    private final Pump toClient;

    ProxyConnection(String name, Socket client, Socket server, Faults toServer, Faults toClient, Tally tally) {
        this.client = client;
        this.server = server;
        this.tally = tally;
        this.toServer = new Pump(name + "-to-server", Direction.TO_SERVER, client, server, toServer, this);
        this.toClient = new Pump(name + "-to-client", Direction.TO_CLIENT, server, client, toClient, this);
    }

    void start() {
        threads().forEach(Thread::start);
    }

    Tally tally() {
        return tally;
    }

    Pump pump(Direction direction) {
        return direction == Direction.TO_SERVER ? toServer : toClient;
    }

    Pump opposite(Direction direction) {
        return direction == Direction.TO_SERVER ? toClient : toServer;
    }

    /** Ends both directions now. */
    void end(Ending ending) {
        toClient.end(ending);
        toServer.end(ending);
    }

    /** Resets both ends. */
    void reset() {
        Sockets.reset(client);
        Sockets.reset(server);
        threads().forEach(Thread::interrupt);
    }

    /** Closes both ends if nothing is left to be done. */
    void settle() {
        Transit requests = toServer.transit();
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

    /** Waits for its threads, once it was closed. */
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
