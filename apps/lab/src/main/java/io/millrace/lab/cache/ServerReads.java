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

    /**
     * The server has {@code keys} entries. The server finds at least one key for each answer; the scripts of Redisson find
     * more. For a near cache, the server finds keys for at most a tenth of the answers, and some before the round.
     */
    static ServerUse of(int keys, boolean near) {
        var reads = new ServerReads();
        return ServerUse.checkedBy((server, sample) -> {
                    long hits = hits(server) - reads.hitsBefore;
                    long least = near ? 0 : sample.operations();
                    long most = near ? sample.operations() / 10 + 10L * keys : Long.MAX_VALUE;
                    return least <= hits && hits <= most
                            ? List.of()
                            : List.of("keys that the server found: answers=" + sample.operations() + ", keys=" + hits
                                    + ", expected at " + (hits < least ? "least=" + least : "most=" + most));
                })
                .filledBy(server -> reads.hitsBefore = hits(server))
                .and((server, sample) -> entries(server, keys));
    }

    /** Additional keys of the libraries do not count. */
    private static List<String> entries(RedisServer server, int expected) {
        long found = server.keys(CacheAdapter.NAME + ":") + server.control().hlen(CacheAdapter.HASH);
        return found == expected ? List.of() : List.of("entries: expected=" + expected + ", found=" + found);
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
