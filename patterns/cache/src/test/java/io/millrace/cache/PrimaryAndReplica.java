// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Strings;
import io.millrace.embedded.EmbeddedRedis;

/** A primary and its replica. */
record PrimaryAndReplica(RedisClient onPrimary, RedisClient onReplica) {

    /** Makes {@code replica} a replica of {@code primary} and waits for the initial synchronization. */
    static PrimaryAndReplica follow(RedisExtension redisExtension, EmbeddedRedis primary, EmbeddedRedis replica) {
        PrimaryAndReplica both =
                new PrimaryAndReplica(redisExtension.client(primary.port()), redisExtension.client(replica.port()));
        // Without this setting the primary waits five seconds for further replicas.
        both.onPrimary.call(Command.of("CONFIG SET", "repl-diskless-sync-delay", "0"));
        both.onReplica.call(Command.of("REPLICAOF", primary.host(), primary.port()));
        Eventually.holds(
                "the replica is connected",
                () -> both.onReplica.call(Command.of("INFO", "replication").as(Replies::text)),
                status -> status.contains("master_link_status:up"));
        return both;
    }

    /**
     * Waits until the replica has all earlier writes. Writes are replicated in order. So this method writes a key and
     * waits until the replica has this write.
     */
    void awaitReplication() {
        String mark = Long.toString(System.nanoTime());
        onPrimary.call(Strings.set("mark", mark));
        Eventually.is(
                "the mark is replicated",
                mark,
                () -> onReplica.call(Strings.get("mark")).orElse(""));
    }

    void promote() {
        onReplica.call(Command.of("REPLICAOF", "NO", "ONE"));
    }
}
