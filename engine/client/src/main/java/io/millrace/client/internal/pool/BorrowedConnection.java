// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.pool;

import io.millrace.client.ClientOptions;
import io.millrace.client.DedicatedConnection;
import io.millrace.client.Pipeline;
import io.millrace.client.RedisUri;
import io.millrace.client.Transaction;
import io.millrace.client.command.Command;
import io.millrace.client.command.ScriptCall;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.internal.shared.CallerSubmission;
import io.millrace.client.internal.shared.Calls;
import io.millrace.client.internal.shared.ConnectionPipeline;
import io.millrace.client.internal.shared.ConnectionTransaction;
import io.millrace.client.internal.shared.PendingCall;
import io.millrace.client.internal.shared.PipelineBatch;
import io.millrace.client.internal.shared.ScriptAttempts;
import io.millrace.client.internal.shared.SharedConnection;
import io.millrace.client.internal.shared.Submission;
import io.millrace.client.internal.shared.SubmissionTarget;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A borrowed connection of the pool. Used by one thread at a time. If the borrower does not close this object, the
 * {@link Cleaner} returns the connection to the pool when this object becomes unreachable. A pipeline or transaction
 * that still uses the connection must prevent this. So it refers to this object, and not to the {@link
 * SharedConnection}.
 */
public final class BorrowedConnection implements DedicatedConnection, SubmissionTarget {

    /** Returns a connection to the pool if its borrower has dropped this object without a call of {@link #close}. */
    private static final Cleaner CLEANER = Cleaner.create();

    private final BorrowRecord borrowRecord;
    private final Cleaner.Cleanable cleanable;
    private final SharedConnection connection;
    private final ClientOptions options;

    /**
     * The submission that was sent last. Replies arrive in order. So if this submission is answered, no reply is owed.
     */
    private @Nullable Submission last;

    private boolean watching;
    private boolean changed;
    private boolean closed;

    BorrowedConnection(BorrowRecord borrowRecord, ClientOptions options) {
        this.borrowRecord = borrowRecord;
        this.cleanable = CLEANER.register(this, borrowRecord);
        this.connection = borrowRecord.connection();
        this.options = options;
    }

    @Override
    public <T> T call(Command<T> command) {
        long now = now();
        return call(
                command,
                now,
                now + command.deadlineNanos(options.commandTimeout().toNanos()));
    }

    @Override
    public <T> T call(ScriptCall<T> script) {
        return ScriptAttempts.call(script, this::now, options.commandTimeout().toNanos(), this::call);
    }

    /**
     * Runs the command. {@code now} and {@code deadline} are the start and the end of its timeout; both may have been
     * set before the connection was borrowed.
     */
    public <T> T call(Command<T> command, long now, long deadline) {
        boolean unwatch = command.spec().dedicated() && recordStateChange(command);
        try {
            PendingCall<T> call = new PendingCall<>(command, now, deadline, null);
            submit(call);
            T value = Calls.await(call);
            watching &= !unwatch;
            return value;
        } catch (InterruptedCommandException e) {
            // The command may still wait to be sent again, and would then run for the next borrower.
            changed = true;
            throw e;
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Records whether {@code command} watches keys or may change the state of the connection. Returns true for UNWATCH,
     * which removes all watches if it succeeds.
     */
    private boolean recordStateChange(Command<?> command) {
        switch (command.spec().name().toUpperCase(Locale.ROOT)) {
            case "WATCH" -> watching = true;
            case "UNWATCH" -> {
                return true;
            }
            case "WAIT", "WAITAOF" -> {}
            case "AUTH" -> {
                connection.keepLogin();
                changed = true;
            }
            default -> changed = true;
        }
        return false;
    }

    /** The address of the server; null for a Unix socket. */
    public RedisUri.@Nullable Tcp serverAddress() {
        return options.uri().endpoint() instanceof RedisUri.Tcp tcp ? tcp : null;
    }

    /** The last command was redirected, and is sent again over another connection: the stats do not count this attempt. */
    public void countRedirected() {
        if (last instanceof PendingCall<?> call) {
            call.countRedirected();
        }
    }

    @Override
    public Pipeline pipeline() {
        refuseIfClosed();
        return new ConnectionPipeline(this, options, null);
    }

    @Override
    public Transaction transaction() {
        refuseIfClosed();
        return new ConnectionTransaction(this, options.commandTimeout().toNanos(), () -> watching = false, null);
    }

    @Override
    public boolean isOpen() {
        return !closed && connection.isOpen();
    }

    @Override
    public long now() {
        return connection.now();
    }

    @Override
    public void submit(CallerSubmission submission) {
        refuseIfClosed();
        last = submission;
        connection.submit(submission);
    }

    @Override
    public void submitAgain(PipelineBatch batch) {
        refuseIfClosed();
        connection.submitAgain(batch);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            borrowRecord.giveBack(
                    !watching && !changed && !connection.primary().hasAnsweredReadOnly() && noReplyOwed());
            cleanable.clean();
        }
    }

    /** Also checks the last submission: its outcome may be visible shortly before the connection counts as idle. */
    private boolean noReplyOwed() {
        return last == null || last.isAnswered() || connection.isIdle();
    }

    private void refuseIfClosed() {
        if (closed) {
            throw new IllegalStateException("the connection was returned to the pool: borrow another connection");
        }
    }
}
