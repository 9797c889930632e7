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
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RefusedException;
import io.millrace.client.internal.connect.Connector;
import io.millrace.client.internal.connect.EndpointText;
import io.millrace.client.internal.connect.Login;
import io.millrace.client.internal.connect.LoginRenewal;
import io.millrace.client.internal.fusion.FusibleKinds;
import io.millrace.client.internal.pool.BorrowedConnection;
import io.millrace.client.internal.push.PushDispatcher;
import io.millrace.client.internal.push.SentinelListeners;
import io.millrace.client.internal.push.SubscriptionConnection;
import io.millrace.client.internal.push.TrackingConnection;
import io.millrace.client.internal.server.ServerConnections;
import io.millrace.client.internal.shared.Calls;
import io.millrace.client.internal.shared.ConnectionContext;
import io.millrace.client.internal.shared.ConnectionPipeline;
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
import io.millrace.client.internal.shared.SharedConnection;
import io.millrace.client.internal.stats.ListenerCalls;
import io.millrace.client.internal.stats.StatsRegistry;
import io.millrace.client.internal.time.ClockAndRandom;
import io.millrace.client.internal.time.Timekeeper;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
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
    private final ServerConnections server;

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
        this.server = openConnections();
        boolean listening = false;
        try {
            this.sentinels = options.uri().endpoint() instanceof RedisUri.Sentinels endpoint
                    ? new SentinelListeners(options, endpoint, clockAndRandom, server::primaryIsAt)
                    : null;
            listening = true;
        } finally {
            if (!listening) {
                server.close();
                context.timekeeper().close();
            }
        }
    }

    private ServerConnections openConnections() {
        boolean opened = false;
        try {
            ServerConnections first = new ServerConnections(context, statsRegistry, futureCompleter, "", options.connectLater());
            opened = true;
            return first;
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
            // The wait for a connection counts against the timeout of the command, but not against the additional time
            // for which the server may block.
            try (BorrowedConnection borrowedConnection = borrow(command, now, deadline)) {
                return borrowedConnection.call(command, now, deadline);
            }
        }
        ConnectionScope.SHARED.check(command);
        PendingCall<T> call = new PendingCall<>(command, now, deadline, null);
        connectionOfThread().submit(call);
        return Calls.await(call);
    }

    /** Runs {@code script} and waits for its value. */
    public <T> T call(ScriptCall<T> script) {
        return ScriptAttempts.call(script, this::now, commandNanos, this::call);
    }

    /** Borrows a connection for one command. If no connection is available, the stats still count the command. */
    private BorrowedConnection borrow(Command<?> command, long now, long deadline) {
        try {
            return server.borrow(deadline - command.blockNanos());
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
        return send(connectionOf(executor), command, now, now + command.deadlineNanos(commandNanos), executor);
    }

    /** Sends {@code script}. Both commands of the script use the same connection. */
    public <T> CompletableFuture<T> send(ScriptCall<T> script, @Nullable Executor executor) {
        SharedConnection connection = connectionOf(executor);
        return ScriptAttempts.send(
                script,
                this::now,
                commandNanos,
                (command, now, deadline) -> send(connection, command, now, deadline, executor));
    }

    private <T> CompletableFuture<T> send(
            SharedConnection connection, Command<T> command, long now, long deadline, @Nullable Executor executor) {
        ConnectionScope.SHARED.check(command);
        CompletableFuture<T> future = new ReplyFuture<>();
        connection.submit(
                new PendingCall<>(command, now, deadline, new FutureCompletion<>(future, futureCompleter, executor)));
        return future;
    }

    public Pipeline pipeline(@Nullable ResultListener listener) {
        return new ConnectionPipeline(connectionOfThread(), options, listener);
    }

    public Transaction transaction() {
        return new ConnectionTransaction(
                connectionOfThread(),
                commandNanos,
                () -> {},
                new ExecutorConnections(futureCompleter, this::connectionOf));
    }

    /**
     * Returns the shared connection of the current thread. A thread always gets the same connection, so its commands
     * stay in order. Threads that were started one after the other share a connection. With few callers, one connection
     * is faster than several, because the commands of all callers are sent together. With many callers, several
     * connections are faster, because one connection wakes waiting callers while another connection sends.
     */
    private SharedConnection connectionOfThread() {
        long group = Thread.currentThread().threadId() / THREADS_PER_CONNECTION;
        return server.connection((int) (group % options.connections()));
    }

    /**
     * Returns the shared connection of {@code executor}; if it is null, that of the current thread. So the commands for
     * an executor stay in order, although several threads may send them one after the other.
     */
    private SharedConnection connectionOf(@Nullable Executor executor) {
        return executor == null
                ? connectionOfThread()
                : server.connection(
                        System.identityHashCode(OutcomeDispatcher.identity(executor)) % options.connections());
    }

    // Dedicated connections.

    public DedicatedConnection borrow() {
        checkOpen();
        return server.borrow(now() + commandNanos);
    }

    /** Opens a separate connection for bulk work. */
    public BulkWriter bulkWriter(BulkOptions bulk, BulkListener listener) {
        checkOpen();
        return server.bulkConnection(bulk, listener);
    }

    public Subscription subscribe(SubscribeOptions subscribeOptions) {
        checkOpen();
        return SubscriptionConnection.open(options, context.login(), context.clockAndRandom(), subscribeOptions);
    }

    public Tracking track(TrackingOptions tracking) {
        checkOpen();
        return TrackingConnection.open(options, context.login(), context.clockAndRandom(), tracking);
    }

    /** Asks the provider for credentials, and logs in again over all open connections. */
    public void renewLogin() {
        checkOpen();
        server.loginChanged();
        new LoginRenewal(context.login(), options, context.clockAndRandom().clock()).run();
    }

    // State and stats.

    public ClientOptions options() {
        return options;
    }

    public boolean isOpen() {
        return server.isOpen();
    }

    public boolean isClosed() {
        return closed;
    }

    public Health health(Duration timeout) {
        return new HealthCheck(timeout).of(server.shared());
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
        server.close();
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
