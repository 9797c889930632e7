// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.BatchOptions;
import org.redisson.api.BatchOptions.ExecutionMode;
import org.redisson.api.RBatch;
import org.redisson.api.RFuture;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.Codec;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;
import org.redisson.config.TransportMode;

/** Redisson, with a pool of one connection: call by call on its objects, and by {@code RBatch}. */
public final class RedissonLibrary implements Library {

    private static final Codec TEXT = StringCodec.INSTANCE;

    @Override
    public String name() {
        return "redisson";
    }

    @Override
    public List<Way> ways() {
        return List.of(
                new Way(
                        Way.ONE_BY_ONE,
                        true,
                        "RBucket.set() and get(), RMap.fastPut(), RDeque.pollLast(), " + settings(),
                        endpoint -> new OneByOne(new Calls(connect(endpoint)))),
                new Way(
                        Way.PIPELINE,
                        false,
                        "RBatch.execute() in mode IN_MEMORY after each batch, results not skipped and every future read, "
                                + "as its guide has it for pipelining; " + settings(),
                        endpoint -> new Batched(new Batch(connect(endpoint)))));
    }

    private static String settings() {
        return "StringCodec, a pool of one connection, " + NativeTransport.word()
                + ", never sends again; its time to live is PEXPIRE within a script";
    }

    private static TransportMode transport() {
        return NativeTransport.isThere() ? TransportMode.EPOLL : TransportMode.NIO;
    }

    private static RedissonClient connect(Endpoint endpoint) {
        return connect(endpoint, Endpoint.REPLY_TIMEOUT);
    }

    /** Never sends again: a pop or an increment that was carried out would be carried out twice. */
    static RedissonClient connect(Endpoint endpoint, Duration timeout) {
        return connect(endpoint, timeout, 1);
    }

    /** The same with a pool of so many connections, all of which are kept. */
    static RedissonClient connect(Endpoint endpoint, Duration timeout, int connections) {
        var config = new Config().setTransportMode(transport());
        endpoint.username().ifPresent(config::setUsername);
        endpoint.password().ifPresent(config::setPassword);
        config.useSingleServer()
                .setAddress(endpoint.uri())
                .setDatabase(endpoint.database())
                .setConnectionPoolSize(connections)
                .setConnectionMinimumIdleSize(connections)
                .setTimeout((int) timeout.toMillis())
                .setRetryAttempts(0);
        return Redisson.create(config);
    }

    static void close(RedissonClient client) {
        client.shutdown(0, Endpoint.REPLY_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    }

    private record Calls(RedissonClient client) implements OneByOne.Commands {

        @Override
        public void set(String key, String value) {
            client.<String>getBucket(key, TEXT).set(value);
        }

        @Override
        public @Nullable String get(String key) {
            return client.<String>getBucket(key, TEXT).get();
        }

        @Override
        public void putField(String hash, String field, String value) {
            client.<String, String>getMap(hash, TEXT).fastPut(field, value);
        }

        @Override
        public void expire(String key, Duration timeToLive) {
            client.getBucket(key, TEXT).expire(timeToLive);
        }

        @Override
        public @Nullable String pop(String list) {
            return client.<String>getDeque(list, TEXT).pollLast();
        }

        @Override
        public void close() {
            RedissonLibrary.close(client);
        }
    }

    private record Batch(RedissonClient client) implements Batched.Batches {

        @Override
        public void set(List<Pair> pairs) throws Exception {
            run(
                    pairs,
                    (batch, pair) -> batch.<String>getBucket(pair.key(), TEXT).setAsync(pair.value()));
        }

        @Override
        public List<@Nullable String> get(List<String> keys) throws Exception {
            return run(keys, (batch, key) -> batch.<String>getBucket(key, TEXT).getAsync());
        }

        @Override
        public void putFields(String hash, List<Pair> fields) throws Exception {
            run(
                    fields,
                    (batch, field) ->
                            batch.<String, String>getMap(hash, TEXT).fastPutAsync(field.key(), field.value()));
        }

        @Override
        public void expire(String key, Duration timeToLive) {
            client.getBucket(key, TEXT).expire(timeToLive);
        }

        @Override
        public List<@Nullable String> pop(List<String> lists) throws Exception {
            return run(
                    lists, (batch, list) -> batch.<String>getDeque(list, TEXT).pollLastAsync());
        }

        /** Both {@code execute} and reading a future throw what the server answered with. */
        private <T, R> List<@Nullable R> run(List<T> items, BiFunction<RBatch, T, RFuture<R>> command)
                throws ExecutionException, InterruptedException {
            var batch = client.createBatch(BatchOptions.defaults().executionMode(ExecutionMode.IN_MEMORY));
            var futures = new ArrayList<RFuture<R>>(items.size());
            items.forEach(item -> futures.add(command.apply(batch, item)));
            batch.execute();
            var results = new ArrayList<@Nullable R>(items.size());
            for (var future : futures) {
                results.add(future.get());
            }
            return results;
        }

        @Override
        public void close() {
            RedissonLibrary.close(client);
        }
    }
}
