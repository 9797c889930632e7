// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.frameworks;

import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.server.Keyspace;
import java.util.List;

/**
 * Requests that {@code wrk} sends to one server, each connection as soon as the last answer has arrived.
 *
 * @param route what the requests ask for
 * @param connections number of connections
 * @param seconds duration of one unit; {@code wrk} takes whole seconds
 */
public record HttpRequests(Route route, int connections, int seconds) {

    /** What requests ask for. */
    public enum Route {
        /** {@code /value/{key}} of each key in turn. */
        VALUE,

        /** The same, with a near cache that has room for all values. */
        NEAR_VALUE,

        /** The liveness probe, which uses no cache. */
        LIVENESS
    }

    /** Entries of the cache. */
    public static final int KEYS = 1_000;

    /** Name of the cache of Spring Data Redis, with which its keys in Redis begin. */
    public static final String SPRING_CACHE = Keyspace.PREFIX + "values";

    /** Figures in microseconds. */
    public static final String P50 = "p50Micros";

    public static final String P99 = "p99Micros";

    /** Figure: the 50th percentile of one connection, as a part of the time that is allowed. */
    public static final String P50_OF_ALLOWED = "p50OfAllowed";

    /** Figures in microseconds: the parts of the allowed time. */
    public static final String LIVENESS_P50 = "livenessP50Micros";

    public static final String GET_P50 = "getP50Micros";

    /** The allowed time of a value is the time of the liveness probe, and this many times a bare {@code GET}. */
    public static final double ALLOWED_GETS = 1.3;

    /** The number of a key follows. */
    public static final String KEY_PREFIX = Keyspace.PREFIX + "item-";

    /** A key in the path of a request. */
    public static String key(int number) {
        return KEY_PREFIX + number;
    }

    /** The key in Redis under which a cache of Millrace stores the value of {@link #key}. */
    public static String redisKey(int number) {
        return Keyspace.SERVER_VALUES + key(number);
    }

    /** The contender fills the cache before a round, and complains about a value that is computed during the round. */
    static ServerUse server() {
        return ServerUse.checkedBy((server, sample) ->
                server.keys() == KEYS ? List.of() : List.of("keys: expected=" + KEYS + ", found=" + server.keys()));
    }
}
