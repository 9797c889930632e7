// SPDX-License-Identifier: Apache-2.0
package io.millrace.vertx;

import io.millrace.client.ClientOptions;
import io.millrace.client.NonBlockingExecutor;
import io.millrace.client.Overflow;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.Result;
import io.millrace.client.SubscribeOptions;
import io.millrace.client.Transaction;
import io.millrace.client.command.Command;
import io.millrace.client.command.ScriptCall;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.RedisException;
import io.millrace.client.exception.RefusedException;
import io.millrace.resp.Reply;
import io.vertx.core.Closeable;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.CloseFuture;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A {@link RedisClient} for code on event loops. The methods return futures of Vert.x, and none of them blocks. A future
 * is completed on the context of its caller, also if this is a duplicated context.
 *
 * <pre>{@code
 * VertxRedis.connect(vertx, RedisUri.parse("redis://localhost"))
 *         .compose(redis -> redis.send(Strings.get("greeting")))
 *         .onSuccess(greeting -> show(greeting));
 * }</pre>
 *
 * <p>DESIGN. The sending thread is the event loop if no reply is owed, and otherwise the writer of the client. The
 * replies of one read come back in one task, so an event loop wakes once per read. The client decides each outcome when
 * its reply arrives: a callback that blocks the event loop makes no answered command time out.
 *
 * <pre>
 *   event loop -> RedisClient.send(command, executor of the context) -> Redis
 *   context  &lt;- promise &lt;- one task per read &lt;- dispatcher &lt;- reader  &lt;-  |
 * </pre>
 *
 * <p>The server executes the commands of one context in the order of the calls, and their futures are completed in this
 * order, except commands that are refused, that time out or are lost, or that the client sends again after a temporary
 * refusal of the server. If the limit of commands or bytes in flight is reached, a command fails at once with a {@link
 * RefusedException}.
 *
 * <p>If Vert.x has metrics or a tracer, each command is reported: to {@code ClientMetrics} of the type {@code redis}, and
 * as a client span with the stable database attributes of OpenTelemetry. Neither receives a key or a value.
 *
 * <p>Thread-safe. Verticles on virtual threads can use this class, or the {@link RedisClient} itself.
 */
public final class VertxRedis {

    private final VertxInternal vertx;

    /** The context whose end closes this object. */
    private final ContextInternal owner;

    private final Closeable hook = completion -> close().onComplete(completion);
    private final RedisClient client;
    private final boolean ownsClient;
    private final @Nullable CommandReports reports;
    private final OpenStreams streams = new OpenStreams();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final Promise<Void> closing = Promise.promise();

    private VertxRedis(ContextInternal owner, RedisClient client, boolean ownsClient) {
        this.vertx = owner.owner();
        this.owner = owner;
        this.client = client;
        this.ownsClient = ownsClient;
        this.reports = CommandReports.of(vertx, client.options());
    }

    /**
     * Connects to the server at {@code uri} with default options, and with {@link Overflow#REFUSE}.
     *
     * @see #connect(Vertx, ClientOptions)
     */
    public static Future<VertxRedis> connect(Vertx vertx, RedisUri uri) {
        return connect(
                vertx, ClientOptions.builder(uri).overflow(Overflow.REFUSE).build());
    }

    /**
     * Connects with {@code options}, on a worker thread. The client is closed with the verticle of the caller; without a
     * verticle, with {@code vertx}.
     *
     * @return fails with a {@link ConnectException} if the server cannot be reached or rejects the login
     * @throws IllegalArgumentException if the options have {@link Overflow#BLOCK}, which would block an event loop
     */
    public static Future<VertxRedis> connect(Vertx vertx, ClientOptions options) {
        refuseBlocking(options);
        ContextInternal context = ((VertxInternal) vertx).getOrCreateContext();
        return context.executeBlocking(() -> RedisClient.connect(options), false)
                .map(client -> new VertxRedis(context, Objects.requireNonNull(client), true).closedWithVerticle());
    }

    /**
     * Returns an adapter of an open client, which any other code may use at the same time. The streams of the adapter are
     * closed with the verticle of the caller; without a verticle, with {@code vertx}. The client stays open.
     *
     * @throws IllegalArgumentException if the client has {@link Overflow#BLOCK}, which would block an event loop
     */
    public static VertxRedis of(Vertx vertx, RedisClient client) {
        refuseBlocking(client.options());
        return new VertxRedis(((VertxInternal) vertx).getOrCreateContext(), client, false).closedWithVerticle();
    }

    private static void refuseBlocking(ClientOptions options) {
        if (options.overflow() == Overflow.BLOCK) {
            throw new IllegalArgumentException(
                    "the client would block an event loop: overflow=BLOCK. Build its options with Overflow.REFUSE");
        }
    }

    private VertxRedis closedWithVerticle() {
        CloseFuture verticle = owner.closeFuture();
        if (verticle.isClosed() || !verticle.add(hook)) {
            Future<Void> unused = close();
        }
        return this;
    }

    /**
     * Runs {@code command}.
     *
     * @return fails with a {@link RedisException}; its subtype shows the kind of failure, and {@link
     *     RedisException#maybeExecuted} shows whether the command may have been executed
     * @throws IllegalArgumentException if the command needs a dedicated connection, as {@code BLPOP} and {@code WATCH} do
     */
    public <T> Future<T> send(Command<T> command) {
        return send(vertx.getOrCreateContext(), command);
    }

    /** Runs a script: {@code EVALSHA}, and then {@code EVAL} if the server does not have the script. */
    public <T> Future<T> send(ScriptCall<T> script) {
        ContextInternal context = vertx.getOrCreateContext();
        return send(context, script.byHash().spec().name(), executor -> client.send(script, executor));
    }

    /**
     * Runs {@code commands}, in order. The client sends them together. One command that fails does not end the others.
     *
     * @return the results in the order of the commands; does not fail because of a command
     * @throws IllegalArgumentException if a command needs a dedicated connection; then no command is sent
     */
    public <T> Future<List<Result<T>>> pipeline(List<? extends Command<? extends T>> commands) {
        commands.forEach(VertxRedis::refuseDedicated);
        ContextInternal context = vertx.getOrCreateContext();
        if (closed.get()) {
            return context.failedFuture(closedException());
        }
        PipelineRun<T> run = new PipelineRun<>(context.promise(), commands);
        for (int i = 0; i < run.size(); i++) {
            Command<Reply> command = run.undecoded(i);
            CommandReport report = begin(context, command.spec().name());
            submit(context, report, executor -> client.send(command, executor), run.receiver(i, report));
        }
        return run.future();
    }

    /**
     * Runs {@code commands} between {@code MULTI} and {@code EXEC}. The server executes all of them or none; there is no
     * rollback.
     *
     * @return the results in the order of the commands; fails if the server executed none, or if the outcome is unknown
     * @throws IllegalArgumentException if a command needs a dedicated connection
     */
    @SuppressWarnings("unchecked") // the results have the types of their commands
    public <T> Future<List<Result<T>>> transaction(List<? extends Command<? extends T>> commands) {
        Transaction transaction = client.transaction();
        List<Result<T>> results = new ArrayList<>(commands.size());
        for (Command<? extends T> command : commands) {
            results.add((Result<T>) transaction.add(command));
        }
        return send(vertx.getOrCreateContext(), "EXEC", transaction::send).map(ending -> List.copyOf(results));
    }

    private static void refuseDedicated(Command<?> command) {
        if (command.blocking() || command.spec().dedicated()) {
            throw new IllegalArgumentException(
                    command.spec().name() + " needs a dedicated connection. Use RedisClient.borrow on a worker thread");
        }
    }

    /** Sends {@code command}, and completes the future on {@code context}. */
    <T> Future<T> send(ContextInternal context, Command<T> command) {
        return send(context, command.spec().name(), executor -> client.send(command, executor));
    }

    private <T> Future<T> send(
            ContextInternal context, String name, Function<Executor, CompletableFuture<T>> submission) {
        if (closed.get()) {
            return context.failedFuture(closedException());
        }
        CommandReport report = begin(context, name);
        ContextPromise<T> promise = new ContextPromise<>(context.promise(), report);
        submit(context, report, submission, promise);
        return promise.future();
    }

    private @Nullable CommandReport begin(ContextInternal context, String name) {
        return reports == null ? null : reports.begin(context, name);
    }

    private static <T> void submit(
            ContextInternal context,
            @Nullable CommandReport report,
            Function<Executor, CompletableFuture<T>> submission,
            BiConsumer<T, @Nullable Throwable> receiver) {
        CompletableFuture<T> sent;
        try {
            sent = submission.apply(executorOf(context));
        } catch (RuntimeException e) {
            if (report != null) {
                report.ended(e);
            }
            throw e;
        }
        CompletableFuture<T> unused = sent.whenComplete(receiver);
    }

    /** One executor for all duplicates of a context, so that one task has the outcomes of one read. */
    private static Executor executorOf(ContextInternal context) {
        Executor executor = context.unwrap().executor();
        return context.isEventLoopContext() ? new NonBlockingExecutor(executor) : executor;
    }

    /**
     * Returns a stream that sends each written command at once. Its queue is the window of the client; see {@link
     * CommandSink}. To be used on the context of the caller.
     */
    public CommandSink sink() {
        ContextInternal context = vertx.getOrCreateContext();
        return new CommandSink(this, context, client.options());
    }

    /**
     * Subscribes over a separate connection. The stream calls its handlers on the context of the caller, and is closed
     * with the verticle of the caller.
     *
     * @return the stream, after the server has confirmed the subscription; fails with a {@link RedisException}
     */
    public Future<MessageStream> subscribe(SubscribeOptions options) {
        Objects.requireNonNull(options, "options");
        ContextInternal context = vertx.getOrCreateContext();
        if (closed.get()) {
            return context.failedFuture(closedException());
        }
        return context.executeBlocking(() -> client.subscribe(options), false)
                .map(subscription ->
                        new MessageStream(context, Objects.requireNonNull(subscription), streams).closedWithVerticle());
    }

    /** The client, for example for its stats. Its methods that wait must not be called on an event loop. */
    public RedisClient client() {
        return client;
    }

    /**
     * Closes the streams of this adapter, and the client if {@link #connect} opened it. Commands without an outcome are
     * then lost. Further calls have no effect, and return a future of the first call.
     */
    public Future<Void> close() {
        if (closed.compareAndSet(false, true)) {
            owner.closeFuture().remove(hook);
            vertx.executeBlocking(this::closeBlocking, false).onComplete(closing);
        }
        return closing.future();
    }

    private @Nullable Void closeBlocking() {
        streams.closeAll();
        if (ownsClient) {
            client.close();
        }
        if (reports != null) {
            reports.close();
        }
        return null;
    }

    private static IllegalStateException closedException() {
        return new IllegalStateException(
                "the connection to Redis is closed: close() was called, or its verticle ended");
    }
}
