// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.recovery;

import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.lab.network.CuttableProxy;
import io.millrace.lab.server.LabException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import redis.clients.jedis.Jedis;

/** A server on loopback with one fault in each round. Clients reach the server through a proxy. Used by one thread. */
final class FaultyServer implements AutoCloseable {

    private static final Duration REPLICA_LIMIT = Duration.ofSeconds(20);

    private final Fault fault;
    private final Path data;
    private final Deque<EmbeddedRedis> servers = new ArrayDeque<>();
    private final CuttableProxy proxy;

    /** Starts the servers for {@code fault}, with their append-only file in a new folder below {@code folder}. */
    FaultyServer(Fault fault, Path folder) throws IOException {
        this.fault = fault;
        this.data = Files.createTempDirectory(folder, "redis-");
        EmbeddedRedis first = startServer(fault == Fault.RESTART ? durable() : List.of());
        try {
            if (fault == Fault.FAILOVER) {
                startReplica(first);
            }
            proxy = CuttableProxy.start(first.host(), first.port());
        } catch (RuntimeException e) {
            servers.forEach(EmbeddedRedis::close);
            throw e;
        }
    }

    private List<String> durable() {
        return List.of("dir \"" + data + "\"", "appendonly yes", "appendfsync everysec");
    }

    private EmbeddedRedis startServer(List<String> config) {
        EmbeddedRedis server =
                EmbeddedRedis.start(EmbeddedOptions.defaults().withConfig(config.toArray(String[]::new)));
        servers.add(server);
        return server;
    }

    private void startReplica(EmbeddedRedis primary) {
        EmbeddedRedis replica = startServer(List.of("replicaof " + primary.host() + " " + primary.port()));
        try (var jedis = new Jedis(replica.host(), replica.port())) {
            long deadlineNanos = System.nanoTime() + REPLICA_LIMIT.toNanos();
            while (!jedis.info("replication").contains("master_link_status:up")) {
                if (System.nanoTime() > deadlineNanos) {
                    throw new LabException("the replica does not follow the primary: port=" + replica.port()
                            + ", primary=" + primary.port() + ". Look at the load of the machine.");
                }
                sleep(Duration.ofMillis(20));
            }
        }
    }

    private static void sleep(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LabException("interrupted while the replica starts", e);
        }
    }

    String host() {
        return proxy.host();
    }

    int port() {
        return proxy.port();
    }

    /**
     * Causes the fault and repairs it.
     *
     * @return the time of {@link System#nanoTime} at which the server was lost
     */
    long fail() {
        return switch (fault) {
            case CUT -> {
                proxy.cut();
                yield System.nanoTime();
            }
            case RESTART -> {
                long lostNanos = lose();
                moveTo(startServer(durable()));
                yield lostNanos;
            }
            case FAILOVER -> {
                long lostNanos = lose();
                EmbeddedRedis replica = servers.getLast();
                try (var jedis = new Jedis(replica.host(), replica.port())) {
                    jedis.replicaofNoOne();
                }
                moveTo(replica);
                yield lostNanos;
            }
        };
    }

    private long lose() {
        servers.getFirst().kill();
        proxy.refuse();
        return System.nanoTime();
    }

    private void moveTo(EmbeddedRedis server) {
        proxy.switchTo(server.host(), server.port());
        proxy.restore();
    }

    /** A connection to the server that answers after the fault, without the proxy. */
    Jedis connect() {
        EmbeddedRedis server = servers.getLast();
        return new Jedis(
                server.host(), server.port(), (int) Duration.ofMinutes(1).toMillis());
    }

    @Override
    public void close() {
        proxy.close();
        servers.forEach(EmbeddedRedis::close);
    }
}
