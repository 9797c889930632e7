// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Lettuce, with one connection: call by call, with futures, and with futures whose commands are flushed by hand. */
public final class LettuceLibrary implements Library {

    @Override
    public String name() {
        return "lettuce";
    }

    @Override
    public List<Way> ways() {
        return List.of(
                new Way(
                        Way.ONE_BY_ONE,
                        true,
                        "sync(), default options, " + NativeTransport.word(),
                        endpoint -> new OneByOne(new Calls(Opened.at(endpoint)))),
                new Way(
                        "async",
                        false,
                        "async(), flushed with each command, all futures of a batch read: the default of its guide; "
                                + NativeTransport.word(),
                        endpoint -> new Batched(new Futures(Opened.at(endpoint), false))),
                new Way(
                        Way.PIPELINE,
                        false,
                        "async(), setAutoFlushCommands(false), flushCommands() after each batch, all futures read: its"
                                + " guide advises it for bulk loads, on a connection that is not shared, as the setting"
                                + " is the connection's; " + NativeTransport.word(),
                        endpoint -> new Batched(new Futures(Opened.at(endpoint), true))));
    }

    /** A client with its one connection. */
    record Opened(RedisClient client, StatefulRedisConnection<String, String> connection) {

        private static Opened at(Endpoint endpoint) {
            return at(endpoint, Endpoint.REPLY_TIMEOUT, ClientOptions.create());
        }

        static Opened at(Endpoint endpoint, Duration timeout, ClientOptions options) {
            var client = RedisClient.create(uri(endpoint, timeout));
            try {
                client.setOptions(options);
                return new Opened(client, client.connect());
            } catch (RuntimeException e) {
                shutDown(client);
                throw e;
            }
        }

        private static RedisURI uri(Endpoint endpoint, Duration timeout) {
            var uri = RedisURI.builder()
                    .withHost(endpoint.host())
                    .withPort(endpoint.port())
                    .withDatabase(endpoint.database())
                    .withTimeout(timeout);
            endpoint.password()
                    .ifPresent(password -> endpoint.username()
                            .ifPresentOrElse(
                                    user -> uri.withAuthentication(user, password),
                                    () -> uri.withPassword(password.toCharArray())));
            return uri.build();
        }

        private static void shutDown(RedisClient client) {
            client.shutdown(0, Endpoint.REPLY_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        }

        void close() {
            connection.close();
            shutDown(client);
        }
    }

    private record Calls(Opened opened, RedisCommands<String, String> sync) implements OneByOne.Commands {

        Calls(Opened opened) {
            this(opened, opened.connection.sync());
        }

        @Override
        public void set(String key, String value) {
            sync.set(key, value);
        }

        @Override
        public @Nullable String get(String key) {
            return sync.get(key);
        }

        @Override
        public void putField(String hash, String field, String value) {
            sync.hset(hash, field, value);
        }

        @Override
        public void expire(String key, Duration timeToLive) {
            sync.pexpire(key, timeToLive.toMillis());
        }

        @Override
        public @Nullable String pop(String list) {
            return sync.rpop(list);
        }

        @Override
        public void close() {
            opened.close();
        }
    }

    private record Futures(Opened opened, RedisAsyncCommands<String, String> async, boolean flushedByHand)
            implements Batched.Batches {

        Futures(Opened opened, boolean flushedByHand) {
            this(opened, opened.connection.async(), flushedByHand);
            opened.connection.setAutoFlushCommands(!flushedByHand);
        }

        @Override
        public void set(List<Pair> pairs) throws Exception {
            run(pairs, pair -> async.set(pair.key(), pair.value()));
        }

        @Override
        public List<@Nullable String> get(List<String> keys) throws Exception {
            return run(keys, async::get);
        }

        @Override
        public void putFields(String hash, List<Pair> fields) throws Exception {
            run(fields, field -> async.hset(hash, field.key(), field.value()));
        }

        @Override
        public void expire(String key, Duration timeToLive) throws Exception {
            run(List.of(key), each -> async.pexpire(each, timeToLive.toMillis()));
        }

        @Override
        public List<@Nullable String> pop(List<String> lists) throws Exception {
            return run(lists, async::rpop);
        }

        /** Reading a future throws what the server answered with. */
        private <T, R> List<@Nullable R> run(List<T> items, Function<T, RedisFuture<R>> command)
                throws ExecutionException, InterruptedException, TimeoutException {
            var futures = new ArrayList<RedisFuture<R>>(items.size());
            items.forEach(item -> futures.add(command.apply(item)));
            if (flushedByHand) {
                opened.connection.flushCommands();
            }
            var results = new ArrayList<@Nullable R>(items.size());
            for (var future : futures) {
                results.add(future.get(Endpoint.REPLY_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS));
            }
            return results;
        }

        @Override
        public void close() {
            opened.close();
        }
    }
}
