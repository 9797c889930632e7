// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.BulkListener;
import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.ClientOptions;
import io.millrace.client.Command;
import io.millrace.client.CommandCounts;
import io.millrace.client.ConnectionLostException;
import io.millrace.client.ErrorReplyException;
import io.millrace.client.InterruptedCommandException;
import io.millrace.client.Outcome;
import io.millrace.client.RedisException;
import io.millrace.client.RefusedException;
import io.millrace.client.TimedOutException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** What stands behind a client: its connection for calls, its timekeeper, and the way from outcomes to exceptions. */
public final class Engine implements AutoCloseable {

    private final ClientOptions options;
    private final Account account = new Account();
    private final Timekeeper timekeeper;
    private final CallConnection calls;

    /** Set once, by whoever closes the client. */
    private volatile boolean closed;

    /**
     * Connects.
     *
     * @throws io.millrace.client.ConnectException if that fails
     */
    public Engine(ClientOptions options) {
        this.options = options;
        Transport transport = Connector.connect(options);
        this.timekeeper = new Timekeeper();
        this.calls = new CallConnection(transport, timekeeper, options);
    }

    /** Runs {@code command} and waits for its value. */
    public <T> T call(Command<T> command) {
        long now = System.nanoTime();
        PendingCall call = new PendingCall(command, now, deadline(now), account, null);
        calls.submit(call);
        Outcome outcome = call.await();
        if (outcome == null) {
            throw new InterruptedCommandException(
                    "waiting for " + command.spec().name() + " was interrupted after " + since(now)
                            + ". The command goes on",
                    true);
        }
        if (outcome instanceof Outcome.Refused && Thread.currentThread().isInterrupted()) {
            throw new InterruptedCommandException(
                    "waiting for a place for " + command.spec().name() + " was interrupted after " + since(now)
                            + ". It was not sent",
                    false);
        }
        return value(command, call, outcome);
    }

    /** Runs {@code command}; its value, or the exception, comes with the future. */
    public <T> CompletableFuture<T> send(Command<T> command) {
        CompletableFuture<T> future = new CompletableFuture<>();
        long now = System.nanoTime();
        calls.submit(new PendingCall(command, now, deadline(now), account, call -> complete(future, command, call)));
        return future;
    }

    private <T> void complete(CompletableFuture<T> future, Command<T> command, PendingCall call) {
        try {
            Outcome outcome = java.util.Objects.requireNonNull(call.outcome());
            future.complete(value(command, call, outcome));
        } catch (Throwable e) {
            // Whatever a decoder throws: a future that is never completed would be worse.
            future.completeExceptionally(e);
        }
    }

    private <T> T value(Command<T> command, PendingCall call, Outcome outcome) {
        return switch (outcome) {
            case Outcome.Ok ok -> command.spec().decode(ok.reply());
            case Outcome.Failed failed ->
                throw new ErrorReplyException(command.spec().name(), failed.error());
            case Outcome.TimedOut ignored -> throw timedOut(call);
            case Outcome.Refused ignored -> throw refused(call);
            case Outcome.Lost lost ->
                throw new ConnectionLostException(
                        command.spec().name() + " was lost after " + since(call.submittedNanos) + ": " + lost.cause()
                                + " (maybeExecuted=" + lost.maybeExecuted() + "). Connect again",
                        lost.maybeExecuted());
        };
    }

    private RedisException timedOut(PendingCall call) {
        return new TimedOutException(call.command.spec().name() + " timed out after " + since(call.submittedNanos)
                + ": " + calls.state(call)
                + ". The server or the network is slow; it may still be executed");
    }

    private RedisException refused(PendingCall call) {
        return new RefusedException(call.command.spec().name() + " was refused after " + since(call.submittedNanos)
                + ": " + calls.state(call)
                + ". Send less at once, or raise the limit of what may be in flight");
    }

    private static String since(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos) + " ms";
    }

    private long deadline(long now) {
        return now + options.commandTimeout().toNanos();
    }

    /** Opens a connection of its own for bulk work. */
    public BulkWriter bulkWriter(BulkOptions bulk, BulkListener listener) {
        if (closed) {
            throw new IllegalStateException("the client is closed");
        }
        return new BulkConnection(Connector.connect(options), timekeeper, bulk, listener);
    }

    public boolean isOpen() {
        return calls.isOpen();
    }

    public CommandCounts counts() {
        return account.counts();
    }

    @Override
    public void close() {
        closed = true;
        calls.close();
        timekeeper.close();
    }
}
