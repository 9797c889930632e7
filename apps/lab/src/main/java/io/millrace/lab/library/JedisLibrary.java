// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
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
                        endpoint -> new Calls(connect(endpoint))),
                new Way(
                        "pipeline",
                        false,
                        "Jedis.pipelined(), sync() after each batch, every Response read",
                        endpoint -> new Pipelined(connect(endpoint))));
    }

    /** A connection to {@code endpoint}. */
    public static Jedis connect(Endpoint endpoint) {
        return new Jedis(new HostAndPort(endpoint.host(), endpoint.port()), config(endpoint));
    }

    /** What a pool of connections to {@code endpoint} is made with. */
    public static DefaultJedisClientConfig config(Endpoint endpoint) {
        return DefaultJedisClientConfig.builder()
                .user(endpoint.username().orElse(null))
                .password(endpoint.password().orElse(null))
                .database(endpoint.database())
                .socketTimeoutMillis((int) Duration.ofSeconds(60).toMillis())
                .build();
    }

    private record Calls(Jedis jedis) implements Idiom {

        @Override
        public void set(List<Pair> pairs, int batch) {
            pairs.forEach(pair -> jedis.set(pair.key(), pair.value()));
        }

        @Override
        public List<@Nullable String> get(List<String> keys, int batch) {
            var values = new ArrayList<@Nullable String>(keys.size());
            keys.forEach(key -> values.add(jedis.get(key)));
            return values;
        }

        @Override
        public void putFields(String hash, List<Pair> fields, Duration timeToLive, int batch) {
            fields.forEach(field -> jedis.hset(hash, field.key(), field.value()));
            jedis.pexpire(hash, timeToLive.toMillis());
        }

        @Override
        public List<@Nullable String> pop(List<String> lists, int pops, int batch) {
            var popped = new ArrayList<@Nullable String>(lists.size() * pops);
            lists.forEach(list -> IntStream.range(0, pops).forEach(i -> popped.add(jedis.rpop(list))));
            return popped;
        }

        @Override
        public void close() {
            jedis.close();
        }
    }

    private record Pipelined(Jedis jedis) implements Idiom {

        @Override
        public void set(List<Pair> pairs, int batch) {
            inBatches(pairs, batch, (pipeline, pair) -> pipeline.set(pair.key(), pair.value()));
        }

        @Override
        public List<@Nullable String> get(List<String> keys, int batch) {
            return inBatches(keys, batch, Pipeline::get);
        }

        @Override
        public void putFields(String hash, List<Pair> fields, Duration timeToLive, int batch) {
            inBatches(fields, batch, (pipeline, field) -> pipeline.hset(hash, field.key(), field.value()));
            jedis.pexpire(hash, timeToLive.toMillis());
        }

        @Override
        public List<@Nullable String> pop(List<String> lists, int pops, int batch) {
            var each = lists.stream()
                    .flatMap(list -> IntStream.range(0, pops).mapToObj(i -> list))
                    .toList();
            return inBatches(each, batch, Pipeline::rpop);
        }

        /** One command for each item. {@link Response#get} throws what the server answered with. */
        private <T, R> List<@Nullable R> inBatches(List<T> items, int batch, Adds<T, R> command) {
            var results = new ArrayList<@Nullable R>(items.size());
            var responses = new ArrayList<Response<R>>(batch);
            try (var pipeline = jedis.pipelined()) {
                for (int from = 0; from < items.size(); from += batch) {
                    for (var item : items.subList(from, Math.min(from + batch, items.size()))) {
                        responses.add(command.to(pipeline, item));
                    }
                    pipeline.sync();
                    responses.forEach(response -> results.add(response.get()));
                    responses.clear();
                }
            }
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
