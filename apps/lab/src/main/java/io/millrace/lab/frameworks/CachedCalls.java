// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.frameworks;

import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.server.Keyspace;
import java.util.List;

/**
 * Calls of a method whose results are in a cache.
 *
 * @param callers number of threads: a platform thread if there is one, otherwise virtual threads
 * @param callsPerCaller calls of each thread in one unit
 */
public record CachedCalls(int callers, long callsPerCaller) {

    /** Entries of the cache. */
    public static final int KEYS = 1_000;

    /** Name of the cache, with which the keys begin. */
    public static final String CACHE = Keyspace.PREFIX + "prices";

    /** The lab counts the entries. The contender fills the cache before the round, and complains about a miss. */
    static ServerUse server() {
        return ServerUse.checkedBy((server, sample) ->
                server.keys() == KEYS ? List.of() : List.of("keys: expected=" + KEYS + ", found=" + server.keys()));
    }
}
