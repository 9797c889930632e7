// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.server.RedisServer;
import java.util.List;

/**
 * Compares the number of keys that the server found in a round ({@code keyspace_hits}) with the number of answers. So an
 * adapter cannot answer without Redis, and a near cache cannot ask Redis for each answer. Used by one thread.
 */
final class ServerReads {

    private long hitsBefore;

    private ServerReads() {}

    /** The server finds at least one key for each answer. The scripts of Redisson find more. */
    static ServerUse oneForEachAnswer() {
        return new ServerReads().use(Long.MAX_VALUE, true);
    }

    /** The server finds keys for at most a tenth of the answers, and {@code filling} keys before the round. */
    static ServerUse forFewAnswers(long filling) {
        return new ServerReads().use(filling, false);
    }

    private ServerUse use(long filling, boolean forEachAnswer) {
        return ServerUse.checkedBy((server, sample) -> {
                    long hits = hits(server) - hitsBefore;
                    long least = forEachAnswer ? sample.operations() : 0;
                    long most = forEachAnswer ? Long.MAX_VALUE : sample.operations() / 10 + filling;
                    return least <= hits && hits <= most
                            ? List.of()
                            : List.of("keys that the server found: answers=" + sample.operations() + ", keys=" + hits
                                    + ", expected at " + (hits < least ? "least=" + least : "most=" + most));
                })
                .filledBy(server -> hitsBefore = hits(server));
    }

    private static long hits(RedisServer server) {
        return server.control()
                .info("stats")
                .lines()
                .filter(line -> line.startsWith("keyspace_hits:"))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1)))
                .sum();
    }
}
