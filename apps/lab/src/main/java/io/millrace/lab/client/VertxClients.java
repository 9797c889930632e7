// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.client;

import io.millrace.lab.client.UsageMode.Capability;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.PoolOptions;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.ResponseType;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The Redis client of Vert.x: one connection on one event loop, as the documentation recommends for performance, or its pool. */
public final class VertxClients {

    /** With the default limit of the client, batches of more than 2,048 commands would be refused. */
    private static final int LONGEST_BATCH = 1 << 17;

    /** With the default limit of 24, a pool refuses the other threads that wait for a connection. */
    private static final int POOL_WAITING = 1_000;

    /** The example of the documentation tries 16 times, after 10 ms, 20 ms and so on, at most 1,280 ms. */
    private static final int RECONNECT_ATTEMPTS = 16;

    private static final long FIRST_RECONNECT_MILLIS = 10;
    private static final int RECONNECT_DOUBLINGS = 7;
    /** A contender may start on a busy machine. The time limit of a command does not apply to the first connection. */
    private static final long OPEN_SECONDS = 30;

    private static final long CLOSE_SECONDS = 60;

    private static final String GUIDE = "https://vertx.io/docs/vertx-redis-client/java/";
    private static final String SETTINGS = "; native transport on Linux; opened again after a loss, see " + GUIDE
            + "#_implementing_reconnect_on_error; no time limit of the client for a command";

    static final ClientLibrary LIBRARY = new ClientLibrary(
            "vertx",
            GUIDE,
            List.of(
                    new UsageMode(
                            "connection",
                            "RedisConnection.send(), maxWaitingHandlers 2,048 (default) or the limit of the experiment"
                                    + SETTINGS,
                            Set.of(
                                    Capability.CALL,
                                    Capability.SEND,
                                    Capability.ORDERED_SEND,
                                    Capability.TLS,
                                    Capability.UNIX_SOCKET),
                            () -> new OneConnection(new RedisOptions().getMaxWaitingHandlers())),
                    new UsageMode(
                            "batch",
                            "RedisConnection.batch(), all responses read, maxWaitingHandlers " + LONGEST_BATCH
                                    + SETTINGS,
                            Set.of(Capability.BATCH, Capability.TLS, Capability.UNIX_SOCKET),
                            () -> new OneConnection(LONGEST_BATCH)),
                    new UsageMode(
                            "pool",
                            "Redis.connect() for each use, RedisConnection.send() and batch(), maxPoolWaiting "
                                    + POOL_WAITING + ", all connections opened before, see " + GUIDE
                                    + "#_connection_pooling",
                            Set.of(Capability.BORROW, Capability.POOL, Capability.TLS, Capability.UNIX_SOCKET),
                            Pooled::new)));

    private static RedisOptions options(Target target, int waitingHandlers) {
        var options = new RedisOptions().setMaxWaitingHandlers(target.inFlight(waitingHandlers));
        String scheme = target.certificate().isPresent() ? "rediss://" : "redis://";
        options.setConnectionString(target.socket()
                .map(path -> "unix://" + path + "?db=" + target.database())
                .orElse(scheme + target.host() + ":" + target.port() + "/" + target.database()));
        target.username().ifPresent(options::setUser);
        target.password().ifPresent(options::setPassword);
        target.certificate()
                .ifPresent(file -> options.setNetClientOptions(new NetClientOptions()
                        .setTrustOptions(new PemTrustOptions().addCertPath(file.toString()))
                        .setHostnameVerificationAlgorithm("HTTPS")));
        return options;
    }

    /**
     * Without the cache for files out of jars, which leaves a directory behind, and without the warnings about callbacks
     * that block the event loop, because some experiments measure such callbacks.
     */
    private static Vertx vertx() {
        return Vertx.vertx(new VertxOptions()
                .setPreferNativeTransport(true)
                .setMaxEventLoopExecuteTime(TimeUnit.HOURS.toNanos(1))
                .setFileSystemOptions(
                        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false)));
    }

    private static Request request(Operation operation) {
        return switch (operation) {
            case Operation.Set set -> Request.cmd(Command.SET).arg(set.key()).arg(set.value());
            case Operation.Get get -> Request.cmd(Command.GET).arg(get.key());
            case Operation.Increment increment -> Request.cmd(Command.INCR).arg(increment.key());
            case Operation.SetField set ->
                Request.cmd(Command.HSET).arg(set.key()).arg(set.field()).arg(set.value());
            case Operation.PopLast pop -> Request.cmd(Command.RPOP).arg(pop.key());
            case Operation.Expire expire ->
                Request.cmd(Command.PEXPIRE).arg(expire.key()).arg(expire.millis());
        };
    }

    private static @Nullable Object value(@Nullable Response response) {
        if (response == null) {
            return null;
        }
        return response.type() == ResponseType.NUMBER ? response.toLong() : response.toString();
    }

    @SuppressWarnings("NullAway.Init") // open() sets the fields
    private static final class OneConnection extends LibraryClient {

        private final int waitingHandlers;
        private long timeoutMillis;
        private Vertx vertx;
        private Context context;
        private Redis redis;

        /** Written by the event loop only. */
        private volatile RedisConnection connection;

        /** Whether the connection is being opened again, or is about to be closed. Only the event loop uses the field. */
        private boolean isReplaced;

        OneConnection(int waitingHandlers) {
            this.waitingHandlers = waitingHandlers;
        }

        @Override
        public void open(Target target) throws Exception {
            timeoutMillis = target.timeout().toMillis();
            vertx = vertx();
            opened(() -> await(vertx.close()));
            context = vertx.getOrCreateContext();
            redis = Redis.createClient(vertx, options(target, waitingHandlers));
            opened(() -> await(redis.close()));
            onEventLoop(this::connect).get(OPEN_SECONDS, TimeUnit.SECONDS);
            opened(() -> onEventLoop(this::disconnect).get(CLOSE_SECONDS, TimeUnit.SECONDS));
        }

        private Future<RedisConnection> connect() {
            return redis.connect().onSuccess(opened -> {
                isReplaced = false;
                connection = opened;
                opened.exceptionHandler(failure -> replace(opened));
                opened.endHandler(ended -> replace(opened));
            });
        }

        private Future<Void> disconnect() {
            isReplaced = true;
            return connection.close();
        }

        private void replace(RedisConnection lost) {
            if (lost.equals(connection) && !isReplaced) {
                isReplaced = true;
                lost.close();
                reconnect(0);
            }
        }

        private void reconnect(int attempt) {
            if (attempt < RECONNECT_ATTEMPTS) {
                long delayMillis = FIRST_RECONNECT_MILLIS << Math.min(attempt, RECONNECT_DOUBLINGS);
                vertx.setTimer(delayMillis, timer -> connect().onFailure(failure -> reconnect(attempt + 1)));
            }
        }

        private <R extends @Nullable Object> CompletableFuture<R> onEventLoop(Supplier<Future<R>> work) {
            var done = new CompletableFuture<R>();
            context.runOnContext(ignored -> Future.succeededFuture()
                    .compose(begun -> work.get())
                    .onComplete(done::complete, done::completeExceptionally));
            return done;
        }

        @Override
        public @Nullable Object call(Operation operation) throws Exception {
            return send(operation).get(timeoutMillis, TimeUnit.MILLISECONDS);
        }

        /**
         * The client itself hands the request over to its event loop. The adapter does not, so that commands that are
         * pending wait in the queues of the client.
         */
        @Override
        public CompletableFuture<@Nullable Object> send(Operation operation) {
            return VertxClients.future(connection.send(request(operation)).map(VertxClients::value));
        }

        @Override
        public List<@Nullable Object> batch(List<Operation> operations) throws Exception {
            return VertxClients.batch(connection, operations, timeoutMillis);
        }
    }

    private static <R extends @Nullable Object> CompletableFuture<R> future(Future<R> result) {
        var done = new CompletableFuture<R>();
        result.onComplete(done::complete, done::completeExceptionally);
        return done;
    }

    private static List<@Nullable Object> batch(
            RedisConnection connection, List<Operation> operations, long timeoutMillis) throws Exception {
        var requests = operations.stream().map(VertxClients::request).toList();
        List<@Nullable Response> responses =
                future(connection.batch(requests)).get(timeoutMillis, TimeUnit.MILLISECONDS);
        return responses.stream().<@Nullable Object>map(VertxClients::value).toList();
    }

    private static void await(Future<Void> end) throws Exception {
        future(end).get(CLOSE_SECONDS, TimeUnit.SECONDS);
    }

    @SuppressWarnings("NullAway.Init") // open() sets the fields
    private static final class Pooled extends LibraryClient implements BorrowingClient {

        private long timeoutMillis;
        private Redis redis;

        @Override
        public void open(Target target) throws Exception {
            timeoutMillis = target.timeout().toMillis();
            int size = target.connections(new PoolOptions().getMaxSize());
            var vertx = vertx();
            opened(() -> await(vertx.close()));
            redis = Redis.createClient(
                    vertx, options(target, LONGEST_BATCH).setMaxPoolSize(size).setMaxPoolWaiting(POOL_WAITING));
            opened(() -> await(redis.close()));
            var connections = new ArrayList<RedisConnection>();
            for (int i = 0; i < size; i++) {
                connections.add(future(redis.connect()).get(OPEN_SECONDS, TimeUnit.SECONDS));
            }
            for (var connection : connections) {
                await(connection.close()); // gives the connection back
            }
        }

        @Override
        public Borrowed borrow() throws Exception {
            var connection = future(redis.connect()).get(timeoutMillis, TimeUnit.MILLISECONDS);
            return new PooledConnection(connection, timeoutMillis);
        }
    }

    private record PooledConnection(RedisConnection connection, long timeoutMillis)
            implements BorrowingClient.Borrowed {

        @Override
        public @Nullable Object call(Operation operation) throws Exception {
            return value(future(connection.send(request(operation))).get(timeoutMillis, TimeUnit.MILLISECONDS));
        }

        @Override
        public List<@Nullable Object> batch(List<Operation> operations) throws Exception {
            return VertxClients.batch(connection, operations, timeoutMillis);
        }

        @Override
        public void close() {
            connection.close();
        }
    }

    private VertxClients() {}
}
