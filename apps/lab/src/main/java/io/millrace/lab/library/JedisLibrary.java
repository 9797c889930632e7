// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Response;

/** Jedis, with a connection of its own: call by call, and by {@code Pipeline}. */
public final class JedisLibrary implements Library {

    @Override
    public String name() {
        return "jedis";
    }

    @Override
    public List<Way> ways() {
        return List.of(
                new Way(
                        Way.ONE_BY_ONE,
                        true,
                        "Jedis, a connection of its own",
                        endpoint -> new OneByOne(new Calls(connect(endpoint)))),
                new Way(
                        Way.PIPELINE,
                        false,
                        "Jedis.pipelined(), sync() after each batch, every Response read: as its guide has it",
                        endpoint -> new Batched(new Pipelines(connect(endpoint)))));
    }

    /** A connection to {@code endpoint}. */
    public static Jedis connect(Endpoint endpoint) {
        return new Jedis(address(endpoint), config(endpoint, Endpoint.REPLY_TIMEOUT));
    }

    /**
     * A pool of {@code size} connections to {@code endpoint}, all of them open, that waits {@code timeout} for a reply.
     */
    static ConnectionPool pool(Endpoint endpoint, int size, Duration timeout) {
        var config = new ConnectionPoolConfig();
        config.setMaxTotal(size);
        config.setMaxIdle(size); // or connections would be closed and opened again all the time
        config.setMinIdle(size);
        // Nor may they be looked after in the background while others are measured.
        config.setTimeBetweenEvictionRuns(Duration.ofMillis(-1));
        config.setTestWhileIdle(false);
        var pool = new ConnectionPool(address(endpoint), config(endpoint, timeout), config);
        try {
            pool.addObjects(size);
            return pool;
        } catch (RuntimeException e) {
            pool.close();
            throw e;
        }
    }

    private static HostAndPort address(Endpoint endpoint) {
        return new HostAndPort(endpoint.host(), endpoint.port());
    }

    private static DefaultJedisClientConfig config(Endpoint endpoint, Duration timeout) {
        return DefaultJedisClientConfig.builder()
                .user(endpoint.username().orElse(null))
                .password(endpoint.password().orElse(null))
                .database(endpoint.database())
                .socketTimeoutMillis((int) timeout.toMillis())
                .build();
    }

    private record Calls(Jedis jedis) implements OneByOne.Commands {

        @Override
        public void set(String key, String value) {
            jedis.set(key, value);
        }

        @Override
        public @Nullable String get(String key) {
            return jedis.get(key);
        }

        @Override
        public void putField(String hash, String field, String value) {
            jedis.hset(hash, field, value);
        }

        @Override
        public void expire(String key, Duration timeToLive) {
            jedis.pexpire(key, timeToLive.toMillis());
        }

        @Override
        public @Nullable String pop(String list) {
            return jedis.rpop(list);
        }

        @Override
        public void close() {
            jedis.close();
        }
    }

    private record Pipelines(Jedis jedis) implements Batched.Batches {

        @Override
        public void set(List<Pair> pairs) {
            run(pairs, (pipeline, pair) -> pipeline.set(pair.key(), pair.value()));
        }

        @Override
        public List<@Nullable String> get(List<String> keys) {
            return run(keys, Pipeline::get);
        }

        @Override
        public void putFields(String hash, List<Pair> fields) {
            run(fields, (pipeline, field) -> pipeline.hset(hash, field.key(), field.value()));
        }

        @Override
        public void expire(String key, Duration timeToLive) {
            jedis.pexpire(key, timeToLive.toMillis());
        }

        @Override
        public List<@Nullable String> pop(List<String> lists) {
            return run(lists, Pipeline::rpop);
        }

        /** One command for each item. {@link Response#get} throws what the server answered with. */
        private <T, R> List<@Nullable R> run(List<T> items, Adds<T, R> command) {
            var responses = new ArrayList<Response<R>>(items.size());
            try (var pipeline = jedis.pipelined()) {
                items.forEach(item -> responses.add(command.to(pipeline, item)));
                pipeline.sync();
            }
            var results = new ArrayList<@Nullable R>(items.size());
            responses.forEach(response -> results.add(response.get()));
            return results;
        }

        /** Adds the command for an item to a pipeline. */
        @FunctionalInterface
        private interface Adds<T, R> {
            Response<R> to(Pipeline pipeline, T item);
        }

        @Override
        public void close() {
            jedis.close();
        }
    }
}
