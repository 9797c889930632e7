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
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.ResponseType;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The Redis client of Vert.x. */
public final class VertxClients {

    /** Longest batch. With the default limit of the client, longer batches than 2,048 would be refused. */
    private static final int LONGEST_BATCH = 1 << 17;

    private static final long CLOSE_SECONDS = 60;

    private static final String TRANSPORT =
            "; native transport on Linux; the client has no time limit for a command, so that call and batch wait with the"
                    + " limit of the experiment, and send has none";

    static final ClientLibrary LIBRARY = new ClientLibrary(
            "vertx",
            "https://vertx.io/docs/vertx-redis-client/java/",
            List.of(
                    new UsageMode(
                            "connection",
                            "RedisConnection.send() on the event loop of the one connection; the default"
                                    + " maxWaitingHandlers of 2,048, beyond which the client refuses a command"
                                    + TRANSPORT,
                            Set.of(
                                    Capability.CALL,
                                    Capability.SEND,
                                    Capability.ORDERED_SEND,
                                    Capability.TLS,
                                    Capability.UNIX_SOCKET),
                            () -> new OneConnection(new RedisOptions().getMaxWaitingHandlers())),
                    new UsageMode(
                            "batch",
                            "RedisConnection.batch() on the event loop of the one connection, every response read;"
                                    + " maxWaitingHandlers " + LONGEST_BATCH
                                    + ", because the client refuses longer batches" + TRANSPORT,
                            Set.of(Capability.BATCH, Capability.TLS, Capability.UNIX_SOCKET),
                            () -> new OneConnection(LONGEST_BATCH))),
            VertxClients::failureKind);

    /** The failures have no types: an error reply is a {@link Response}, the messages tell the others. */
    private static FailureKind failureKind(Throwable failure) {
        if (FailureKind.says(failure, "waiting queue is full")) {
            return FailureKind.REFUSED;
        }
        boolean isReply = FailureKind.hasCause(
                failure, cause -> cause instanceof Response reply && reply.type() == ResponseType.ERROR);
        if (isReply && !FailureKind.says(failure, "CONNECTION_CLOSED")) {
            return FailureKind.ERROR;
        }
        var kind = FailureKind.of(failure);
        return kind == FailureKind.ERROR ? FailureKind.LOST : kind;
    }

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
    private static final class OneConnection implements ClientAdapter {

        private final OpenResources resources = new OpenResources();
        private final int waitingHandlers;
        private long timeoutMillis;
        private Context context;
        private RedisConnection connection;

        OneConnection(int waitingHandlers) {
            this.waitingHandlers = waitingHandlers;
        }

        @Override
        public void open(Target target) throws Exception {
            timeoutMillis = target.timeout().toMillis();
            var vertx = vertx();
            resources.add(() -> await(vertx.close()));
            context = vertx.getOrCreateContext();
            var redis = Redis.createClient(vertx, options(target, waitingHandlers));
            resources.add(() -> await(redis.close()));
            connection = Objects.requireNonNull(onEventLoop(redis::connect).get(timeoutMillis, TimeUnit.MILLISECONDS));
            resources.add(() -> onEventLoop(connection::close).get(CLOSE_SECONDS, TimeUnit.SECONDS));
        }

        private static void await(Future<Void> end) throws Exception {
            end.toCompletionStage().toCompletableFuture().get(CLOSE_SECONDS, TimeUnit.SECONDS);
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

        @Override
        public CompletableFuture<@Nullable Object> send(Operation operation) {
            var request = request(operation);
            return onEventLoop(() -> connection.send(request).map(VertxClients::value));
        }

        @Override
        public List<@Nullable Object> batch(List<Operation> operations) throws Exception {
            var requests = operations.stream().map(VertxClients::request).toList();
            List<@Nullable Response> responses =
                    onEventLoop(() -> connection.batch(requests)).get(timeoutMillis, TimeUnit.MILLISECONDS);
            return responses.stream().<@Nullable Object>map(VertxClients::value).toList();
        }

        @Override
        public void close() throws Exception {
            resources.close();
        }
    }

    private VertxClients() {}
}
