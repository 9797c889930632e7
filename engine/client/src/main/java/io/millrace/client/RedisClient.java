// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.internal.Engine;
import io.millrace.client.internal.Surroundings;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A client of one Redis server. Thread-safe, and made to be shared: the commands of all callers travel over a few
 * connections, those of one thread over the same one, each gets its own reply, and whatever piles up while one write is under way goes out with the next.
 *
 * <p>Every command that is submitted ends in exactly one {@link Outcome}, which {@link #account} adds up. A deadline counts
 * from submission and includes waiting for a place. What may be in flight is limited; see {@link Overflow}.
 *
 * <p>A lost connection is replaced. What the operating system had not taken is sent again, in order; what had been sent and
 * not answered is lost, unless it is known to be repeatable ({@link CommandSpec#idempotently}).
 */
public final class RedisClient implements AutoCloseable {

    private final Engine engine;

    private RedisClient(Engine engine) {
        this.engine = engine;
    }

    /**
     * Connects to the server at {@code uri} with default options.
     *
     * @throws ConnectException if it cannot be reached, or does not let us in
     */
    public static RedisClient connect(RedisUri uri) {
        return connect(ClientOptions.of(uri));
    }

    /**
     * Connects as {@code options} say. When it returns the shared connections are open, logged in, and have answered
     * before. They are opened one after the other. Blocks for twice the connect timeout at most for each of them: it has that
     * time to be open and logged in, and the same again for its first answer.
     *
     * @throws ConnectException if the server cannot be reached, or does not let us in
     */
    public static RedisClient connect(ClientOptions options) {
        return connect(options, Surroundings.SYSTEM);
    }

    /** With a clock and chance of one's own, for tests. */
    static RedisClient connect(ClientOptions options, Surroundings surroundings) {
        return new RedisClient(new Engine(options, surroundings));
    }

    /**
     * Runs {@code command} and waits for its value, for the command timeout at most. Made for virtual threads, fine on any.
     * A command that waits on the server, such as {@code BLPOP}, runs on a dedicated connection.
     *
     * @throws RedisException of a kind that says what happened, and whether the command may have been executed
     * @throws IllegalArgumentException if the command needs a {@linkplain #borrow dedicated connection}
     */
    public <T> T call(Command<T> command) {
        return engine.call(command);
    }

    /**
     * Runs {@code command} without waiting for its reply. Returns at once while there is a place in flight; otherwise as
     * {@link Overflow} says. The future is completed on a virtual thread, so what hangs on it may block, and delays no other;
     * cancelling it does not call the command back.
     *
     * @throws IllegalArgumentException if the command waits on the server or needs a dedicated connection
     */
    public <T> CompletableFuture<T> send(Command<T> command) {
        return engine.send(command);
    }

    /** A pipeline whose results are kept until it is run. */
    public Pipeline pipeline() {
        return engine.pipeline(null);
    }

    /** A pipeline of any length: {@code listener} is told of every result, and none is kept. */
    public Pipeline pipeline(ResultListener listener) {
        return engine.pipeline(listener);
    }

    /** A transaction without {@code WATCH}; with it, {@link #borrow} a connection. */
    public Transaction transaction() {
        return engine.transaction();
    }

    /**
     * Borrows a dedicated connection, and waits for one for the command timeout at most.
     *
     * @throws RefusedException if none became free; the message says who has had one for the longest time
     * @throws ConnectException if a new one cannot be opened
     * @throws InterruptedCommandException if the thread is interrupted while it waits
     */
    public DedicatedConnection borrow() {
        return engine.borrow();
    }

    /**
     * Opens a connection of its own for very many commands.
     *
     * @throws ConnectException if the server cannot be reached, or does not let us in
     */
    public BulkWriter bulkWriter(BulkOptions options, BulkListener listener) {
        return engine.bulkWriter(options, listener);
    }

    /**
     * Opens a connection of its own for messages. Returns when the server has confirmed the subscription.
     *
     * @throws ConnectException if the server cannot be reached, does not let us in, or does not let us subscribe
     */
    public Subscription subscribe(Topics topics) {
        return engine.subscribe(topics);
    }

    /**
     * Opens a connection of its own over which the server tells which keys change. Returns when the server has confirmed it.
     *
     * @throws ConnectException if the server cannot be reached, does not let us in, or cannot: it takes RESP3, and the
     *     right to {@code CLIENT TRACKING}
     */
    public Tracking track(TrackingOptions options) {
        return engine.track(options);
    }

    /** Whether every shared connection works at this moment, as far as is known without asking. */
    public boolean isOpen() {
        return engine.isOpen();
    }

    /**
     * Asks the server over every shared connection, all at once, and waits for {@code timeout} at most. Its {@code PING}s are
     * counted.
     *
     * @param timeout 1 ms to 1 day
     * @throws InterruptedCommandException if the thread is interrupted while it waits
     */
    public Health health(Duration timeout) {
        return engine.health(timeout);
    }

    /** What became of the commands so far, in all and by connection. Takes no lock. */
    public ClientAccount account() {
        return engine.account();
    }

    /** The sums of {@link #account}. */
    public CommandCounts counts() {
        return engine.counts();
    }

    /**
     * Ends all connections. What has no outcome yet is lost. Bulk writers, subscriptions and trackings are closed by themselves,
     * before their client.
     */
    @Override
    public void close() {
        engine.close();
    }
}
