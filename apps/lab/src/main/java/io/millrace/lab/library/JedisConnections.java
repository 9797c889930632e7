// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import java.util.List;
import redis.clients.jedis.Jedis;

/** Jedis' pool. */
record JedisConnections(redis.clients.jedis.ConnectionPool pool) implements ConnectionPool {

    static final Source SOURCE = new Source(
            "jedis",
            "Jedis' ConnectionPool, which keeps all its connections, and waits for a free one",
            JedisConnections::open);

    private static ConnectionPool open(Endpoint endpoint, int size) {
        return new JedisConnections(JedisLibrary.pool(endpoint, size, Endpoint.REPLY_TIMEOUT));
    }

    @Override
    public Borrowed borrow() {
        return new JedisConnection(new Jedis(pool.getResource()));
    }

    @Override
    public void close() {
        pool.close();
    }

    private record JedisConnection(Jedis jedis) implements Borrowed {

        @Override
        public void set(Pair pair) {
            jedis.set(pair.key(), pair.value());
        }

        @Override
        public void setPipelined(List<Pair> pairs) {
            try (var pipeline = jedis.pipelined()) {
                var responses = pairs.stream()
                        .map(pair -> pipeline.set(pair.key(), pair.value()))
                        .toList();
                pipeline.sync();
                responses.forEach(response -> response.get());
            }
        }

        @Override
        public void close() {
            jedis.close();
        }
    }
}
