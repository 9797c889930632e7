// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.BulkListener;
import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.ClientOptions;
import io.millrace.client.ClientStats;
import io.millrace.client.CommandCounts;
import io.millrace.client.DedicatedConnection;
import io.millrace.client.Health;
import io.millrace.client.Outcome;
import io.millrace.client.Pipeline;
import io.millrace.client.RedisUri;
import io.millrace.client.ResultListener;
import io.millrace.client.SubscribeOptions;
import io.millrace.client.Subscription;
import io.millrace.client.Tracking;
import io.millrace.client.TrackingOptions;
import io.millrace.client.Transaction;
import io.millrace.client.command.Command;
import io.millrace.client.command.ScriptCall;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RefusedException;
import io.millrace.client.internal.cluster.Slots;
import io.millrace.client.internal.connect.Connector;
import io.millrace.client.internal.connect.EndpointText;
import io.millrace.client.internal.connect.Login;
import io.millrace.client.internal.connect.LoginRenewal;
import io.millrace.client.internal.fusion.FusibleKinds;
import io.millrace.client.internal.pool.BorrowedConnection;
import io.millrace.client.internal.push.PushDispatcher;
import io.millrace.client.internal.push.SentinelListeners;
import io.millrace.client.internal.server.ManyServersCall;
import io.millrace.client.internal.server.ServerConnections;
import io.millrace.client.internal.server.Servers;
import io.millrace.client.internal.shared.Calls;
import io.millrace.client.internal.shared.ConnectionContext;
import io.millrace.client.internal.shared.ConnectionScope;
import io.millrace.client.internal.shared.ConnectionTransaction;
import io.millrace.client.internal.shared.ExecutorConnections;
import io.millrace.client.internal.shared.FutureCompleter;
import io.millrace.client.internal.shared.FutureCompletion;
import io.millrace.client.internal.shared.HealthCheck;
import io.millrace.client.internal.shared.OutcomeDispatcher;
import io.millrace.client.internal.shared.Outcomes;
import io.millrace.client.internal.shared.PendingCall;
import io.millrace.client.internal.shared.ReplyFuture;
import io.millrace.client.internal.shared.ScriptAttempts;
import io.millrace.client.internal.shared.SubmissionTarget;
import io.millrace.client.internal.stats.ListenerCalls;
import io.millrace.client.internal.stats.StatsRegistry;
import io.millrace.client.internal.time.ClockAndRandom;
import io.millrace.client.internal.time.Timekeeper;
import io.millrace.resp.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The internals of a client. Owns all connections of the client, the threads that these connections share, and the
 * stats.
 */
public final class Engine implements AutoCloseable {

    /**
     * Threads with consecutive ids share a connection, in groups of this size. Chosen by measurements with 8, 64 and
     * 512 callers.
     */
    private static final int THREADS_PER_CONNECTION = 32;

    private final ClientOptions options;
    private final ConnectionContext context;
    private final long commandNanos;
    private final FutureCompleter futureCompleter;
    private final PushDispatcher pushes;
    private final StatsRegistry statsRegistry = new StatsRegistry();
    private final Servers servers;

    /** Null without Sentinels. */
    private final @Nullable SentinelListeners sentinels;

    /** Set to true by the thread that closes the client; never reset. */
    private volatile boolean closed;

    /**
     * Opens the shared connections, or starts to open them if the client connects later.
     *
     * @throws io.millrace.client.exception.ConnectException if connecting fails
     */
    public Engine(ClientOptions options, ClockAndRandom clockAndRandom) {
        this.options = options;
        this.commandNanos = options.commandTimeout().toNanos();
        this.pushes = new PushDispatcher(options.pushListener());
        this.context = new ConnectionContext(
                options,
                new Login(options),
                clockAndRandom,
                new Timekeeper(clockAndRandom.clock()),
                new FusibleKinds.RefusedKinds(),
                pushes::offer,
                ListenerCalls.of(options.commandListener(), EndpointText.of(options.uri())),
                () -> {});
        this.futureCompleter = new FutureCompleter(context.timekeeper(), options.callbacks());
        this.servers = openConnections();
        boolean listening = false;
        try {
            this.sentinels = servers instanceof ServerConnections server
                            && options.uri().endpoint() instanceof RedisUri.Sentinels endpoint
                    ? new SentinelListeners(options, endpoint, clockAndRandom, server::primaryIsAt)
                    : null;
            listening = true;
        } finally {
            if (!listening) {
                servers.close();
                context.timekeeper().close();
            }
        }
    }

    private Servers openConnections() {
        boolean opened = false;
        try {
            Servers all = options.uri().endpoint() instanceof RedisUri.Cluster cluster
                    ? new Slots(context, cluster, statsRegistry, futureCompleter)
                    : new ServerConnections(context, statsRegistry, futureCompleter, "", options.connectLater());
            opened = true;
            return all;
        } finally {
            if (!opened) {
                context.timekeeper().close();
            }
        }
    }

    // Commands.

    /** Runs {@code command} and waits for its value. */
    public <T> T call(Command<T> command) {
        long now = now();
        return call(command, now, now + command.deadlineNanos(commandNanos));
    }

    /** Runs {@code command} from {@code now} to {@code deadline} and waits for its value. */
    private <T> T call(Command<T> command, long now, long deadline) {
        if (command.blocking() && !command.spec().dedicated()) {
            return callDedicated(command, now, deadline);
        }
        ConnectionScope.SHARED.check(command);
        int lane = laneOfThread();
        ManyServersCall<T> several = manyServersCall(lane, command, now, deadline);
        if (several != null) {
            return Calls.await(command, sendToMany(several, now, deadline, null));
        }
        PendingCall<T> call = new PendingCall<>(command, now, deadline, null);
        servers.target(lane).submit(call);
        return Calls.await(call);
    }

    private <T> T callDedicated(Command<T> command, long now, long deadline) {
        int hashSlot = command.hashSlot();
        while (true) {
            // The wait for a connection counts against the timeout of the command, but not against the additional time
            // for which the server may block.
            BorrowedConnection borrowedConnection = borrow(command, hashSlot, now, deadline);
            try (borrowedConnection) {
                return borrowedConnection.call(command, now, deadline);
            } catch (ErrorReplyException e) {
                // The connection is back in the pool.
                if (!servers.follows(borrowedConnection, e.error(), deadline)) {
                    throw e;
                }
            }
        }
    }

    /** Returns null if one server is enough. If a primary cannot be reached, the stats count the command as lost. */
    private <T> @Nullable ManyServersCall<T> manyServersCall(int lane, Command<T> command, long now, long deadline) {
        try {
            return servers.manyServersCall(command, lane);
        } catch (ConnectionLostException e) {
            countUnsubmitted(
                    new PendingCall<>(command, now, deadline, null), new Outcome.Lost(false, Connector.describe(e)));
            throw e;
        }
    }

    private <T> CompletableFuture<T> sendToMany(
            ManyServersCall<T> several, long now, long deadline, @Nullable Executor executor) {
        List<CompletableFuture<Reply>> replies = new ArrayList<>();
        for (SubmissionTarget target : several.targets()) {
            replies.add(send(target, several.command(), now, deadline, executor));
        }
        CompletableFuture<T> result = new CompletableFuture<>();
        CompletableFuture<Void> unused = CompletableFuture.allOf(replies.toArray(CompletableFuture[]::new))
                .whenComplete((all, failure) -> {
                    try {
                        result.complete(several.value()
                                .apply(replies.stream()
                                        .map(CompletableFuture::join)
                                        .toList()));
                    } catch (CompletionException e) {
                        result.completeExceptionally(e.getCause() == null ? e : e.getCause());
                    } catch (Throwable e) {
                        result.completeExceptionally(e);
                    }
                });
        return result;
    }

    /** Runs {@code script} and waits for its value. */
    public <T> T call(ScriptCall<T> script) {
        return ScriptAttempts.call(script, this::now, commandNanos, this::call);
    }

    /** Borrows a connection for one command. If no connection is available, the stats still count the command. */
    private BorrowedConnection borrow(Command<?> command, int hashSlot, long now, long deadline) {
        try {
            return servers.borrow(hashSlot, deadline - command.blockNanos());
        } catch (RefusedException | InterruptedCommandException e) {
            countUnsubmitted(new PendingCall<>(command, now, deadline, null), Outcomes.REFUSED);
            throw e;
        } catch (ConnectException | ConnectionLostException e) {
            countUnsubmitted(
                    new PendingCall<>(command, now, deadline, null), new Outcome.Lost(false, Connector.describe(e)));
            throw e;
        }
    }

    private void countUnsubmitted(PendingCall<?> call, Outcome outcome) {
        statsRegistry.countUnsubmitted(outcome);
        call.endWithoutConnection(outcome, context.listener(), now());
    }

    /**
     * Sends {@code command}. The returned future completes with the value or the exception of the command.
     *
     * @param executor executor that completes the future; null for virtual threads of the client
     */
    public <T> CompletableFuture<T> send(Command<T> command, @Nullable Executor executor) {
        long now = now();
        return send(laneOf(executor), command, now, now + command.deadlineNanos(commandNanos), executor);
    }

    /** Sends {@code script}. Both commands of the script use the same connection. */
    public <T> CompletableFuture<T> send(ScriptCall<T> script, @Nullable Executor executor) {
        int lane = laneOf(executor);
        return ScriptAttempts.send(
                script,
                this::now,
                commandNanos,
                (command, now, deadline) -> send(lane, command, now, deadline, executor));
    }

    private <T> CompletableFuture<T> send(
            int lane, Command<T> command, long now, long deadline, @Nullable Executor executor) {
        ManyServersCall<T> several;
        try {
            several = manyServersCall(lane, command, now, deadline);
        } catch (ConnectionLostException e) {
            return CompletableFuture.failedFuture(e);
        }
        return several == null
                ? send(servers.target(lane), command, now, deadline, executor)
                : sendToMany(several, now, deadline, executor);
    }

    private <T> CompletableFuture<T> send(
            SubmissionTarget target, Command<T> command, long now, long deadline, @Nullable Executor executor) {
        ConnectionScope.SHARED.check(command);
        CompletableFuture<T> future = new ReplyFuture<>();
        target.submit(
                new PendingCall<>(command, now, deadline, new FutureCompletion<>(future, futureCompleter, executor)));
        return future;
    }

    public Pipeline pipeline(@Nullable ResultListener listener) {
        return servers.pipeline(laneOfThread(), listener);
    }

    public Transaction transaction() {
        return new ConnectionTransaction(
                servers.target(laneOfThread()),
                commandNanos,
                () -> {},
                new ExecutorConnections(futureCompleter, executor -> servers.target(laneOf(executor))));
    }

    /**
     * Returns the lane of the current thread: the number of its shared connection. A thread always has the same lane, so its
     * commands stay in order. Threads that were started one after the other share a lane. With few callers, one connection
     * is faster than several, because the commands of all callers are sent together. With many callers, several
     * connections are faster, because one connection wakes waiting callers while another connection sends.
     */
    private int laneOfThread() {
        long group = Thread.currentThread().threadId() / THREADS_PER_CONNECTION;
        return (int) (group % options.connections());
    }

    /**
     * Returns the lane of {@code executor}; if it is null, that of the current thread. So the commands for an executor stay
     * in order, although several threads may send them one after the other.
     */
    private int laneOf(@Nullable Executor executor) {
        return executor == null
                ? laneOfThread()
                : System.identityHashCode(OutcomeDispatcher.identity(executor)) % options.connections();
    }

    // Dedicated connections.

    public DedicatedConnection borrow() {
        checkOpen();
        return servers.borrow(Servers.NO_HASH_SLOT, now() + commandNanos);
    }

    /** Borrows a connection to the server of the keys with {@code hashSlot}. */
    public DedicatedConnection borrow(int hashSlot) {
        checkOpen();
        return servers.borrow(hashSlot, now() + commandNanos);
    }

    /** Opens a separate connection for bulk work. */
    public BulkWriter bulkWriter(BulkOptions bulk, BulkListener listener) {
        checkOpen();
        return servers.bulkWriter(bulk, listener);
    }

    public Subscription subscribe(SubscribeOptions subscribeOptions) {
        checkOpen();
        return servers.subscribe(subscribeOptions);
    }

    public Tracking track(TrackingOptions tracking) {
        checkOpen();
        return servers.track(tracking);
    }

    /** Asks the provider for credentials, and logs in again over all open connections. */
    public void renewLogin() {
        checkOpen();
        servers.loginChanged();
        new LoginRenewal(context.login(), options, context.clockAndRandom().clock()).run();
    }

    // State and stats.

    public ClientOptions options() {
        return options;
    }

    public boolean isOpen() {
        return servers.isOpen();
    }

    public boolean isClosed() {
        return closed;
    }

    public Health health(Duration timeout) {
        return new HealthCheck(timeout).of(servers.shared());
    }

    public ClientStats stats() {
        return statsRegistry.snapshot(pushes.dropped(), context.listener());
    }

    public CommandCounts counts() {
        return stats().counts();
    }

    @Override
    public void close() {
        closed = true;
        if (sentinels != null) {
            sentinels.close();
        }
        servers.close();
        context.timekeeper().close();
    }

    private long now() {
        return context.now();
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the client is closed");
        }
    }
}
