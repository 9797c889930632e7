// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import java.net.SocketTimeoutException;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Jedis, which has nothing but calls that wait. The pool is there because a connection is of no use after a time-out.
 */
record JedisCounters(ConnectionPool pool) implements Counters {

    static final Source SOURCE = new Source(
            "jedis",
            "a ConnectionPool of one connection, borrowed for each call; socket timeout; no asynchronous calls",
            false,
            1,
            (endpoint, timeout) -> new JedisCounters(JedisLibrary.pool(endpoint, 1, timeout)));

    @Override
    public Ending increment(String key) {
        try (var jedis = new Jedis(pool.getResource())) {
            jedis.incr(key);
            return Ending.OK;
        } catch (JedisException e) {
            return ending(e);
        }
    }

    private static Ending ending(JedisException failure) {
        return switch (failure) {
            case JedisDataException error -> Ending.ERROR;
            case JedisConnectionException broken
            when broken.getCause() instanceof SocketTimeoutException -> Ending.TIMED_OUT;
            default -> Ending.LOST;
        };
    }

    @Override
    public void close() {
        pool.close();
    }
}
