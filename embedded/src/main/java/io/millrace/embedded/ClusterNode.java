// SPDX-License-Identifier: Apache-2.0
package io.millrace.embedded;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/**
 * A server of a cluster.
 *
 * @param id identifies the server in commands and replies; does not change
 */
record ClusterNode(EmbeddedRedis server, String id) {

    /** Much longer than any command takes, because a machine may be busy. */
    static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(30);

    /** A paused server does not answer, so a question about its state waits for a shorter time. */
    private static final Duration QUESTION_TIMEOUT = Duration.ofSeconds(1);

    /** Asks {@code server} for its id. */
    static ClusterNode of(EmbeddedRedis server) {
        return new ClusterNode(server, call(server, "CLUSTER", "MYID"));
    }

    /**
     * Sends a command and returns its reply as text.
     *
     * @throws EmbeddedRedisException if the server does not answer, or the reply is an error
     */
    String call(String... command) {
        return call(server, command);
    }

    private static String call(EmbeddedRedis server, String... command) {
        try (ClusterConnection connection = ClusterConnection.open(server, COMMAND_TIMEOUT)) {
            return connection.call(command);
        } catch (IOException e) {
            throw unanswered(server, e);
        }
    }

    static EmbeddedRedisException unanswered(EmbeddedRedis server, IOException cause) {
        return new EmbeddedRedisException(
                "a server of the cluster does not answer: port=" + server.port() + ", running=" + server.isAlive()
                        + ", cause=" + cause + ". Check whether the server was killed or paused.",
                cause);
    }

    /** Sends a command and returns its reply. Empty if the server does not answer soon, or the reply is an error. */
    Optional<String> ask(String... command) {
        if (!server.isAlive()) {
            return Optional.empty();
        }
        try (ClusterConnection connection = ClusterConnection.open(server, QUESTION_TIMEOUT)) {
            return Optional.of(connection.call(command));
        } catch (IOException | EmbeddedRedisException e) {
            return Optional.empty();
        }
    }

    /** The cluster as this server sees the cluster. Empty if the server does not answer soon. */
    Optional<ClusterView> view() {
        return ask("CLUSTER", "NODES").map(ClusterView::parse);
    }

    /** The present configuration epoch of the server. The epoch of its slots counts if two servers claim a slot. */
    long configEpoch() {
        return ClusterView.parse(call("CLUSTER", "NODES")).self().configEpoch();
    }

    /** Whether the server is a replica with a complete copy of the data of its primary, and a connection to it. */
    boolean isLinkedReplica() {
        return new ServerProbe(server.port(), server.password())
                .ask("replication")
                .map(fields -> "up".equals(fields.get("master_link_status")))
                .orElse(false);
    }
}
