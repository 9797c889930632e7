// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import java.util.List;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;

/** Jedis' pool. */
record JedisConnections(redis.clients.jedis.ConnectionPool pool) implements ConnectionPool {

    static final Source SOURCE = new Source(
            "jedis",
            "Jedis' ConnectionPool, which keeps all its connections, and waits for a free one",
            JedisConnections::open);

    private static ConnectionPool open(Endpoint endpoint, int size) {
        var config = new ConnectionPoolConfig();
        config.setMaxTotal(size);
        config.setMaxIdle(size); // or connections would be closed and opened again all the time
        config.setMinIdle(size);
        var pool = new redis.clients.jedis.ConnectionPool(
                new HostAndPort(endpoint.host(), endpoint.port()), JedisLibrary.config(endpoint), config);
        pool.addObjects(size);
        return new JedisConnections(pool);
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
