// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The Redis client of Vert.x, all of its work on one event loop: call by call, and by {@code batch}. */
public final class VertxLibrary implements Library {

    /** How many commands may wait for their replies, and so the longest batch. Vert.x itself would have 2,048. */
    private static final int MOST_WAITING = 1 << 17;

    @Override
    public String name() {
        return "vertx";
    }

    @Override
    public List<Way> ways() {
        return List.of(
                new Way(
                        Way.ONE_BY_ONE,
                        true,
                        "RedisConnection.send() on an event loop, the next when the future of the one before has been"
                                + " completed; " + NativeTransport.word(),
                        endpoint -> new InTurn(Opened.at(endpoint))),
                new Way(
                        Way.PIPELINE,
                        false,
                        "RedisConnection.batch() on an event loop, all responses read, as its guide has it; "
                                + NativeTransport.word() + ", setMaxWaitingHandlers(" + MOST_WAITING
                                + "), as a batch that is longer is refused",
                        endpoint -> new Batched(new Batch(Opened.at(endpoint)))));
    }

    private static Request set(Pair pair) {
        return Request.cmd(Command.SET).arg(pair.key()).arg(pair.value());
    }

    private static Request get(String key) {
        return Request.cmd(Command.GET).arg(key);
    }

    private static Request putField(String hash, Pair field) {
        return Request.cmd(Command.HSET).arg(hash).arg(field.key()).arg(field.value());
    }

    private static Request expire(String key, Duration timeToLive) {
        return Request.cmd(Command.PEXPIRE).arg(key).arg(timeToLive.toMillis());
    }

    private static Request pop(String list) {
        return Request.cmd(Command.RPOP).arg(list);
    }

    private static @Nullable String text(@Nullable Response response) {
        return response == null ? null : response.toString();
    }

    private static <R> R inTime(CompletableFuture<R> work)
            throws ExecutionException, InterruptedException, TimeoutException {
        return work.get(Endpoint.REPLY_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** A connection, and the event loop on which all is done with it. */
    record Opened(Vertx vertx, Context context, Redis redis, RedisConnection connection) {

        private static Opened at(Endpoint endpoint) throws Exception {
            return at(endpoint, new RedisOptions().setMaxWaitingHandlers(MOST_WAITING));
        }

        /** With {@code options}, which are told of {@code endpoint}. */
        static Opened at(Endpoint endpoint, RedisOptions options) throws Exception {
            var vertx = create();
            try {
                var context = vertx.getOrCreateContext();
                var redis = Redis.createClient(vertx, told(options, endpoint));
                return new Opened(vertx, context, redis, inTime(begin(context, redis::connect)));
            } catch (Exception e) {
                ended(vertx.close());
                throw e;
            }
        }

        /**
         * Without the directory of files out of jars, which it would leave behind, and without the reports about
         * callbacks that block the event loop: where they do, that is what is measured.
         */
        private static Vertx create() {
            return Vertx.vertx(new VertxOptions()
                    .setPreferNativeTransport(true)
                    .setMaxEventLoopExecuteTime(TimeUnit.HOURS.toNanos(1))
                    .setFileSystemOptions(
                            new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false)));
        }

        private static RedisOptions told(RedisOptions options, Endpoint endpoint) {
            options.setConnectionString(endpoint.uri() + "/" + endpoint.database());
            endpoint.username().ifPresent(options::setUser);
            endpoint.password().ifPresent(options::setPassword);
            return options;
        }

        /** What will come of {@code work}, which is begun on the event loop. */
        private static <R> CompletableFuture<R> begin(Context context, Supplier<Future<R>> work) {
            var done = new CompletableFuture<R>();
            context.runOnContext(ignored -> Future.succeededFuture()
                    .compose(begun -> work.get())
                    .onComplete(done::complete, done::completeExceptionally));
            return done;
        }

        <R> CompletableFuture<R> begin(Supplier<Future<R>> work) {
            return begin(context, work);
        }

        private static void ended(Future<Void> end) throws ExecutionException, InterruptedException, TimeoutException {
            inTime(end.toCompletionStage().toCompletableFuture());
        }

        void close() throws ExecutionException, InterruptedException, TimeoutException {
            try {
                inTime(begin(connection::close));
                ended(redis.close());
            } finally {
                ended(vertx.close());
            }
        }
    }

    private record InTurn(Opened opened) implements Idiom {

        @Override
        public void set(List<Pair> pairs, int batch) throws Exception {
            run(pairs, VertxLibrary::set);
        }

        @Override
        public List<@Nullable String> get(List<String> keys, int batch) throws Exception {
            return run(keys, VertxLibrary::get);
        }

        @Override
        public void putFields(String hash, List<Pair> fields, Duration timeToLive, int batch) throws Exception {
            run(fields, field -> putField(hash, field));
            run(List.of(hash), key -> expire(key, timeToLive));
        }

        @Override
        public List<@Nullable String> pop(List<String> lists, int pops, int batch) throws Exception {
            var each = lists.stream()
                    .flatMap(list -> Collections.nCopies(pops, list).stream())
                    .toList();
            return run(each, VertxLibrary::pop);
        }

        private <T> List<@Nullable String> run(List<T> items, Function<T, Request> command) throws Exception {
            var texts = new ArrayList<@Nullable String>(items.size());
            opened.begin(() -> {
                        Promise<@Nullable Void> end = Promise.promise();
                        next(items.iterator(), command, texts, end);
                        return end.future();
                    })
                    .get(); // a timer for each command, as the client has none itself, would be for the lab alone
            return texts;
        }

        /** Does not grow the stack: the reply to a command is never there when it has been sent. */
        private <T> void next(
                Iterator<T> items,
                Function<T, Request> command,
                List<@Nullable String> texts,
                Promise<@Nullable Void> end) {
            if (!items.hasNext()) {
                end.complete();
                return;
            }
            opened.connection
                    .send(command.apply(items.next()))
                    .map(VertxLibrary::text)
                    .onComplete(
                            text -> {
                                texts.add(text);
                                next(items, command, texts, end);
                            },
                            end::fail);
        }

        @Override
        public void close() throws Exception {
            opened.close();
        }
    }

    private record Batch(Opened opened) implements Batched.Batches {

        @Override
        public void set(List<Pair> pairs) throws Exception {
            run(pairs, VertxLibrary::set);
        }

        @Override
        public List<@Nullable String> get(List<String> keys) throws Exception {
            return run(keys, VertxLibrary::get);
        }

        @Override
        public void putFields(String hash, List<Pair> fields) throws Exception {
            run(fields, field -> putField(hash, field));
        }

        @Override
        public void expire(String key, Duration timeToLive) throws Exception {
            run(List.of(key), each -> VertxLibrary.expire(each, timeToLive));
        }

        @Override
        public List<@Nullable String> pop(List<String> lists) throws Exception {
            return run(lists, VertxLibrary::pop);
        }

        private <T> List<@Nullable String> run(List<T> items, Function<T, Request> command) throws Exception {
            List<@Nullable Response> responses = inTime(opened.begin(
                    () -> opened.connection.batch(items.stream().map(command).toList())));
            var texts = new ArrayList<@Nullable String>(responses.size());
            responses.forEach(response -> texts.add(text(response)));
            return texts;
        }

        @Override
        public void close() throws Exception {
            opened.close();
        }
    }
}
