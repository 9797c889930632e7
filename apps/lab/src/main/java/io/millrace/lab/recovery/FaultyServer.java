// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.recovery;

import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.lab.network.CuttableProxy;
import io.millrace.lab.server.LabException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import redis.clients.jedis.Jedis;

/** A server on loopback with one fault in each round. Clients reach the server through a proxy. Used by one thread. */
final class FaultyServer implements AutoCloseable {

    private static final Duration REPLICA_LIMIT = Duration.ofSeconds(20);
    private static final int READ_MILLIS = 60_000;

    private final Fault fault;
    private final String[] config;
    private final Deque<EmbeddedRedis> servers = new ArrayDeque<>();
    private final CuttableProxy proxy;

    /** A fault of the connection between the client and the server. */
    enum Fault {
        CUT("All connections are reset, and the server continues"),
        RESTART("The server is killed, and started again at once with its append-only file"),
        FAILOVER("The primary is killed and the replica is promoted; replication is asynchronous, so every client may"
                + " lose acknowledged commands");

        final String title;

        Fault(String title) {
            this.title = title;
        }
    }

    /** Starts the servers for {@code fault}, with their append-only file in a new folder below {@code folder}. */
    FaultyServer(Fault fault, Path folder) throws Exception {
        this.fault = fault;
        Path data = Files.createTempDirectory(folder, "redis-");
        this.config = fault == Fault.RESTART
                ? new String[] {"dir \"" + data + "\"", "appendonly yes", "appendfsync everysec"}
                : new String[0];
        try {
            EmbeddedRedis first = startServer(config);
            if (fault == Fault.FAILOVER) {
                startReplica(first);
            }
            proxy = CuttableProxy.start(first.host(), first.port());
        } catch (Exception e) {
            servers.forEach(EmbeddedRedis::close);
            throw e;
        }
    }

    private EmbeddedRedis startServer(String... lines) {
        EmbeddedRedis server = EmbeddedRedis.start(EmbeddedOptions.defaults().withConfig(lines));
        servers.add(server);
        return server;
    }

    private void startReplica(EmbeddedRedis primary) throws InterruptedException {
        EmbeddedRedis replica = startServer("replicaof " + primary.host() + " " + primary.port());
        try (Jedis jedis = connect()) {
            long startNanos = System.nanoTime();
            while (!jedis.info("replication").contains("master_link_status:up")) {
                if (System.nanoTime() - startNanos > REPLICA_LIMIT.toNanos()) {
                    throw new LabException("the replica does not follow the primary: port=" + replica.port()
                            + ", primary=" + primary.port() + ". Look at the load of the machine.");
                }
                Thread.sleep(20);
            }
        }
    }

    String host() {
        return proxy.host();
    }

    int port() {
        return proxy.port();
    }

    /** Causes the fault and repairs it. Returns the time of the fault. */
    long fail() {
        if (fault == Fault.CUT) {
            proxy.cut();
            return System.nanoTime();
        }
        servers.getFirst().kill();
        proxy.refuse();
        long lostNanos = System.nanoTime();
        if (fault == Fault.RESTART) {
            startServer(config);
        } else {
            try (Jedis replica = connect()) {
                replica.replicaofNoOne();
            }
        }
        proxy.switchTo(servers.getLast().host(), servers.getLast().port());
        proxy.restore();
        return lostNanos;
    }

    /** A connection to the server that answers after the fault, without the proxy. */
    Jedis connect() {
        return new Jedis(servers.getLast().host(), servers.getLast().port(), READ_MILLIS);
    }

    @Override
    public void close() {
        proxy.close();
        servers.forEach(EmbeddedRedis::close);
    }
}
