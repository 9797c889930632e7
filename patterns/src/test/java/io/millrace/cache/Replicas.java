// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.Command;
import io.millrace.client.RedisClient;
import io.millrace.client.Replies;
import io.millrace.client.Strings;
import io.millrace.embedded.EmbeddedRedis;

/** A server that follows another. */
record Replicas(RedisClient onPrimary, RedisClient onReplica) {

    /** Returns when {@code replica} has what {@code primary} has. */
    static Replicas follow(Redis redis, EmbeddedRedis primary, EmbeddedRedis replica) {
        Replicas both = new Replicas(redis.client(primary.port()), redis.client(replica.port()));
        // Or else it waits five seconds for other replicas.
        both.onPrimary.call(Command.of("CONFIG SET", "repl-diskless-sync-delay", "0"));
        both.onReplica.call(Command.of("REPLICAOF", primary.host(), primary.port()));
        Eventually.holds(
                "it follows",
                () -> both.onReplica.call(Command.of("INFO", "replication").as(Replies::text)),
                told -> told.contains("master_link_status:up"));
        return both;
    }

    /** Returns when the replica has all that was written before: writes come to it in their order. */
    void awaitWhatWasWritten() {
        String mark = Long.toString(System.nanoTime());
        onPrimary.call(Strings.set("mark", mark));
        Eventually.is(
                "the mark has come",
                mark,
                () -> onReplica.call(Strings.get("mark")).orElse(""));
    }

    void promote() {
        onReplica.call(Command.of("REPLICAOF", "NO", "ONE"));
    }
}
