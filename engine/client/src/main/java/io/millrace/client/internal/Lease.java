// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.ClientOptions;
import io.millrace.client.Command;
import io.millrace.client.DedicatedConnection;
import io.millrace.client.Pipeline;
import io.millrace.client.Transaction;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A connection of the pool while it is lent. Belongs to one thread at a time. When nothing refers to it any more the borrower
 * has forgotten it; so its pipelines and transactions refer to it, not to the connection.
 */
final class Lease implements DedicatedConnection, SubmissionSink {

    /** Notices leases that nobody can close any more. */
    private static final Cleaner CLEANER = Cleaner.create();

    private final Loan loan;
    private final Cleaner.Cleanable whenForgotten;
    private final SharedConnection connection;
    private final ClientOptions options;

    /** What was submitted last: replies come in order, so once it is answered nothing is owed. */
    private @Nullable Submission last;

    private boolean watching;
    private boolean changed;
    private boolean closed;

    Lease(Loan loan, ClientOptions options) {
        this.loan = loan;
        this.whenForgotten = CLEANER.register(this, loan);
        this.connection = loan.connection();
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

    /** The same with a deadline that began before the connection was borrowed. */
    <T> T call(Command<T> command, long now, long deadline) {
        boolean unwatch = command.spec().dedicated() && remember(command);
        try {
            PendingCall<T> call = new PendingCall<>(command, now, deadline, null);
            submit(call);
            T value = Calls.await(call);
            watching &= !unwatch;
            return value;
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Notes what {@code command} may change; returns whether it will undo WATCH, if the server lets it. */
    private boolean remember(Command<?> command) {
        switch (command.spec().name().toUpperCase(Locale.ROOT)) {
            case "WATCH" -> watching = true;
            case "UNWATCH" -> {
                return true;
            }
            default -> changed = true;
        }
        return false;
    }

    @Override
    public Pipeline pipeline() {
        refuseIfClosed();
        return new PipelineRun(this, options, null);
    }

    @Override
    public Transaction transaction() {
        refuseIfClosed();
        return new TransactionRun(this, options.commandTimeout().toNanos(), () -> watching = false);
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
    public void submit(Submission submission) {
        refuseIfClosed();
        last = submission;
        connection.submit(submission);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            loan.end(!watching && !changed && nothingIsOwed());
            whenForgotten.clean();
        }
    }

    /** An outcome may be seen an instant before the connection counts as idle. */
    private boolean nothingIsOwed() {
        return last == null || last.answered() || connection.isIdle();
    }

    private void refuseIfClosed() {
        if (closed) {
            throw new IllegalStateException("the connection was given back: borrow another");
        }
    }
}
