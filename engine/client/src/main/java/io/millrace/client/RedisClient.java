// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.command.Command;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.ScriptCall;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RedisException;
import io.millrace.client.exception.RefusedException;
import io.millrace.client.exception.TimedOutException;
import io.millrace.client.internal.Engine;
import io.millrace.client.internal.time.ClockAndRandom;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * A client of one Redis server, or of a Redis Cluster. Thread-safe and meant to be shared. All callers share a few connections, and all
 * commands of one thread use the same connection. Commands that are submitted while the client writes to the socket are
 * sent together in the next write.
 *
 * <p>Every submitted command has exactly one {@link Outcome}; {@link #stats} counts the outcomes. The number of
 * commands and bytes in flight is limited; see {@link Overflow}. The time limit of a command begins when the command is
 * submitted. If the command waits because a limit is reached, this wait counts against the time limit.
 *
 * <p>The client replaces a lost shared connection. Commands that were submitted before the loss may have no reply. If
 * the operating system had not accepted all bytes of such a command for sending, the client sends the command again. If
 * the operating system had accepted all bytes, the command is lost. However, if the caller or the library marked the
 * command as repeatable ({@link CommandSpec#idempotently}), the client sends it again, at most twice. Commands that are
 * sent again keep their order. A command whose own reply is malformed or exceeds a {@linkplain ReplyLimits limit} is
 * lost and not sent again.
 *
 * <p>While the server cannot be reached, commands wait for the next connection, at most for their time limit. While the
 * server refuses the login of the next connection, commands are lost at once, and the message of the exception contains
 * the refusal. The client repeats the login after the longest delay, {@link ClientOptions#MAX_RECONNECT_DELAY}, until
 * the server accepts the login or the client is closed.
 *
 * <p>In a cluster, each command goes to the node of its keys, which must have one hash slot ({@link KeySlot}), and follows a
 * slot that moves to another node. The server executes the commands of one thread in order for each hash slot. A few commands
 * without keys, such as {@code DBSIZE} and {@code FLUSHALL}, run on all primaries.
 */
public final class RedisClient implements AutoCloseable {

    private final Engine engine;

    private RedisClient(Engine engine) {
        this.engine = engine;
    }

    /**
     * Connects to the server at {@code uri} with default options.
     *
     * @throws ConnectException if the server cannot be reached or rejects the login
     */
    public static RedisClient connect(RedisUri uri) {
        return connect(ClientOptions.of(uri));
    }

    /**
     * Connects with {@code options}. Opens the shared connections one after the other. When the method returns, each
     * connection is open and logged in. For each connection, the method blocks for at most two connect timeouts: one for
     * connection and login, and one for the reply to a first command. A later reply is no failure.
     *
     * <p>With {@link ClientOptions#connectLater}, the method returns at once and does not fail: the client connects in
     * the background, and repeats failed attempts as after the loss of a connection. Until then, commands wait, at most
     * for their time limit, or are lost at once if the server refuses the login. {@link #health} waits for the connections.
     *
     * @throws ConnectException if the server cannot be reached or rejects the login; not with {@code connectLater}
     */
    public static RedisClient connect(ClientOptions options) {
        return connect(options, ClockAndRandom.SYSTEM);
    }

    /** Connects with another clock and another source of random numbers. For tests. */
    static RedisClient connect(ClientOptions options, ClockAndRandom clockAndRandom) {
        return new RedisClient(new Engine(options, clockAndRandom));
    }

    /**
     * Runs {@code command} and blocks until the command's value is available, at most for the command timeout. May be
     * called from any thread; virtual threads are recommended. A command that the server may block, such as
     * {@code BLPOP}, runs on a dedicated connection.
     *
     * <p>If the server temporarily refuses the command with {@code LOADING}, {@code BUSY}, {@code MASTERDOWN}, {@code
     * TRYAGAIN} or {@code READONLY}, the client sends the command again until no further attempt fits before the deadline.
     * Then the method throws the error of the server. Scripts and functions are not sent again.
     *
     * @throws RedisException if the command failed; the subtype of the exception shows the kind of failure, and
     *     {@link RedisException#maybeExecuted} shows whether the command may have been executed
     * @throws IllegalArgumentException if the command changes the state of its connection, as {@code WATCH} does, or
     *     waits for earlier writes of its connection, as {@code WAIT} does. Such a command needs a
     *     {@linkplain #borrow borrowed connection}
     */
    public <T> T call(Command<T> command) {
        return engine.call(command);
    }

    /**
     * Runs a script. The client first sends {@code EVALSHA} with the script's SHA-1. If the server does not have the
     * script, the client sends {@code EVAL} with the script's body. The method blocks until the value is available, at
     * most for one command timeout: {@code EVAL} has the deadline of {@code EVALSHA}. The {@link #stats} count both
     * commands; {@code EVALSHA} counts as an error if the server does not have the script.
     *
     * <p>If the server replies to {@code EVALSHA} with an error other than {@code NOSCRIPT}, the method throws the
     * error and does not send {@code EVAL}. A script must not return an error with the code {@code NOSCRIPT}, because
     * the client would then run the script a second time.
     *
     * @throws RedisException in the same cases as {@link #call(Command)}, for the last command that was sent
     */
    public <T> T call(ScriptCall<T> script) {
        return engine.call(script);
    }

    /**
     * Runs {@code command} without waiting for its reply. Returns immediately if neither the limit of commands or bytes in
     * flight nor {@link ClientOptions#CALLBACKS} is reached. Otherwise the {@link Overflow} policy applies. A virtual thread completes the future. So a
     * function that the caller attaches to the future, for example with {@code thenApply}, may block without delaying
     * other futures. If the caller cancels the future, the command is not cancelled.
     *
     * <p>The server executes the commands of one thread in the order of the calls, with one exception: a command that the
     * server has temporarily refused, for example with {@code LOADING}, is sent again later, and then commands that were
     * sent after it may be executed before it. A pipeline keeps the order.
     *
     * @throws IllegalArgumentException if the command needs a dedicated connection: because the server may block the
     *     command, such as {@code BLPOP}, because the command changes the state of its connection, such as
     *     {@code WATCH}, or because the command waits for earlier writes of its connection, such as {@code WAIT}
     */
    public <T> CompletableFuture<T> send(Command<T> command) {
        return engine.send(command, null);
    }

    /**
     * Runs {@code command} like {@link #send(Command)}, and completes the future on {@code executor}, such as an event
     * loop. The commands whose replies arrive in one read of a connection are completed by one task, in the order of the
     * replies. All commands for the same executor use the same shared connection, and the server executes them in the
     * order of the calls. So an executor with one thread completes their futures in this order, except commands that time
     * out, are refused, are lost, or are sent again after a temporary refusal.
     *
     * <p>A virtual thread of the client calls {@link Executor#execute}; for a {@link NonBlockingExecutor}, the thread that
     * reads the replies. If the call of a virtual thread blocks, the other commands for this
     * executor wait, and no others. If the executor throws an exception, a virtual thread completes the futures. A command
     * that is refused at once is completed before this method returns.
     *
     * <p>If {@link ClientOptions#CALLBACKS} outcomes wait for executors, {@code send} waits, or its command is refused, as
     * at the limit of commands in flight. A thread that must not block needs a client with {@link Overflow#REFUSE}.
     *
     * @throws IllegalArgumentException in the same cases as {@link #send(Command)}
     */
    public <T> CompletableFuture<T> send(Command<T> command, Executor executor) {
        return engine.send(command, Objects.requireNonNull(executor, "executor"));
    }

    /**
     * Runs a script as {@link #call(ScriptCall)} does, without waiting for its reply. Both commands use the connection of
     * the current thread. If the server does not have the script, the server may execute later commands of this thread
     * before the script. If the order matters, send {@link ScriptCall#withBody()}.
     */
    public <T> CompletableFuture<T> send(ScriptCall<T> script) {
        return engine.send(script, null);
    }

    /** Runs a script as {@link #send(ScriptCall)} does, and completes the future on {@code executor}. */
    public <T> CompletableFuture<T> send(ScriptCall<T> script, Executor executor) {
        return engine.send(script, Objects.requireNonNull(executor, "executor"));
    }

    /**
     * Returns a pipeline that stores the result of each command until the next call of {@link Pipeline#run} returns all
     * results.
     */
    public Pipeline pipeline() {
        return engine.pipeline(null);
    }

    /**
     * Returns a pipeline of unlimited length. The pipeline passes each result to {@code listener} and stores no result.
     */
    public Pipeline pipeline(ResultListener listener) {
        return engine.pipeline(listener);
    }

    /**
     * Returns a transaction that watches no keys. For a transaction with {@code WATCH}, {@linkplain #borrow borrow} a
     * connection.
     */
    public Transaction transaction() {
        return engine.transaction();
    }

    /**
     * Borrows a dedicated connection. Blocks until a connection is free, at most for the command timeout.
     *
     * @throws RefusedException if no connection became free within the command timeout; the message names the thread
     *     that has held a borrowed connection for the longest time
     * @throws ConnectException if a new connection cannot be opened
     * @throws InterruptedCommandException if the thread is interrupted while it waits
     */
    public DedicatedConnection borrow() {
        return engine.borrow();
    }

    /**
     * Borrows a dedicated connection to the server of {@code key}. In a cluster, a transaction with {@code WATCH} needs such a
     * connection: all its keys have one hash slot ({@link KeySlot}). If the slot moves to another server while the connection
     * is borrowed, commands end with the error {@code MOVED}; the caller then borrows again. Otherwise, this method does the
     * same as {@link #borrow()}.
     */
    public DedicatedConnection borrow(String key) {
        return engine.borrow(KeySlot.of(key));
    }

    /** Borrows a dedicated connection to the server of {@code key}, as {@link #borrow(String)} does. */
    public DedicatedConnection borrow(byte[] key) {
        return engine.borrow(KeySlot.of(key));
    }

    /**
     * Opens a separate connection for bulk writing. With a {@link ReplicationListener}, the writer also asks its servers
     * how far their replication has come.
     *
     * @throws ConnectException if the server cannot be reached or rejects the login
     */
    public BulkWriter bulkWriter(BulkOptions options, BulkListener listener) {
        return engine.bulkWriter(options, listener);
    }

    /**
     * Opens a separate connection for pub/sub messages. Blocks until the server has confirmed the subscription.
     *
     * @throws ConnectException if the server cannot be reached, or rejects the login or the subscription
     */
    public Subscription subscribe(SubscribeOptions subscribeOptions) {
        return engine.subscribe(subscribeOptions);
    }

    /**
     * Opens a separate connection over which the server reports changed keys. Blocks until the server has confirmed the
     * tracking. Tracking requires RESP3 and the permission for {@code CLIENT TRACKING}.
     *
     * @throws ConnectException if the server cannot be reached, rejects the login, or does not allow tracking
     */
    public Tracking track(TrackingOptions options) {
        return engine.track(options);
    }

    /**
     * Asks the {@linkplain ClientOptions.Builder#credentials provider} for credentials, and logs in again with {@code
     * AUTH} over all open connections of this client. Call this method when a password has changed, and before a token
     * expires. No command is lost: the server executes the {@code AUTH} between two commands, and the stats do not
     * count it. A connection that is being replaced, also after a refused login, makes its next attempt at once.
     *
     * <p>Blocks until every shared connection has its reply: at most one connect timeout for the provider, and one
     * command timeout for the replies. Other connections follow without this wait: a dedicated connection after its
     * running command, a bulk connection when its owner has submitted the next command, a subscription or tracking at
     * once, or over TLS within 50 ms. Two kinds of connections keep their login until they are replaced: a subscription over RESP2, and a borrowed connection on which the borrower has sent {@code AUTH}.
     *
     * <p>If the server refuses the new credentials on a connection, the connection keeps its earlier login and continues
     * to work. It is not replaced, because the server would refuse the login of the new connection too. The log names
     * the connection.
     *
     * <p>The new credentials should be those of the same user, or of a user with the same permissions: the client checks
     * the permissions for {@linkplain ClientOptions#fusion fusion} only when a connection is opened. Thread-safe.
     *
     * @throws ConnectException if the provider failed, or the server refused the credentials on a connection; the
     *     reason is {@code AUTHENTICATION}
     * @throws TimedOutException if a shared connection received no reply
     * @throws InterruptedCommandException if the thread is interrupted while it waits
     * @throws IllegalStateException if the client is closed
     */
    public void renewLogin() {
        engine.renewLogin();
    }

    /**
     * Whether every shared connection works at this moment. Returns the last known state and sends no command. A
     * connection does not work while it is being replaced, and also while the server refuses its login. Both states may
     * end without any action of the caller.
     */
    public boolean isOpen() {
        return engine.isOpen();
    }

    /** Whether {@link #close} was called. Such a client never works again. */
    public boolean isClosed() {
        return engine.isClosed();
    }

    /**
     * Sends a {@code PING} over all shared connections at the same time. Blocks until all replies have arrived, at most
     * for {@code timeout}. The statistics count each {@code PING} as a command.
     *
     * @param timeout 1 ms to 1 day
     * @throws InterruptedCommandException if the thread is interrupted while it waits
     */
    public Health health(Duration timeout) {
        return engine.health(timeout);
    }

    /** The options of this client. */
    public ClientOptions options() {
        return engine.options();
    }

    /**
     * Returns the statistics of all commands so far, in total and for each connection. When a caller receives a reply,
     * the statistics already contain this reply. Takes no lock.
     */
    public ClientStats stats() {
        return engine.stats();
    }

    /** Returns the total counts of {@link #stats}. */
    public CommandCounts counts() {
        return engine.counts();
    }

    /**
     * Closes all connections of this client. Commands without an outcome are lost. The caller must close bulk writers,
     * subscriptions and trackings separately, before this client.
     */
    @Override
    public void close() {
        engine.close();
    }
}
