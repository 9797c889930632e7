// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.measure;

import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.experiment.ServerUse.Place;
import io.millrace.lab.server.RedisServer;
import java.util.Optional;

/**
 * The servers of a session: the named one, and a cluster on loopback. The cluster starts when the first contender needs
 * one, unless the named server is a cluster. Used by one thread.
 */
final class SessionServers implements AutoCloseable {

    /** Stands for a cluster that has not started yet. Its address is not used. */
    private static final Target NOT_STARTED = Target.of("127.0.0.1", 6379).asCluster();

    private final RedisServer named;
    private Optional<RedisServer> cluster = Optional.empty();

    /** @param named closed with this object */
    SessionServers(RedisServer named) {
        this.named = named;
    }

    RedisServer named() {
        return named;
    }

    /** The server for {@code use}. Starts the cluster if {@code use} is the first to need one. */
    RedisServer of(ServerUse use) {
        if (!needsOwnCluster(use)) {
            return named;
        }
        RedisServer started = cluster.orElseGet(RedisServer::startCluster);
        cluster = Optional.of(started);
        return started;
    }

    /** Whether {@code use} needs a cluster that the lab starts. */
    boolean needsOwnCluster(ServerUse use) {
        return use.place() == Place.CLUSTER && !named.target().cluster();
    }

    /** The kind of target that a contender with {@code use} gets. Starts nothing. */
    Target kindOf(ServerUse use) {
        return needsOwnCluster(use) ? NOT_STARTED : named.target();
    }

    @Override
    public void close() {
        try (named) {
            cluster.ifPresent(RedisServer::close);
        }
    }
}
