// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.ClientOptions;
import io.millrace.client.Command;
import io.millrace.client.DedicatedConnection;
import io.millrace.client.Pipeline;
import io.millrace.client.Transaction;
import java.util.Locale;

/** A connection of the pool while it is lent. Belongs to one thread at a time. */
final class Lease implements DedicatedConnection {

    private final Pool.Loan loan;
    private final SharedConnection connection;
    private final ClientOptions options;
    private boolean watching;
    private boolean changed;
    private boolean closed;

    Lease(Pool.Loan loan, ClientOptions options) {
        this.loan = loan;
        this.connection = loan.connection();
        this.options = options;
    }

    @Override
    public <T> T call(Command<T> command) {
        refuseIfClosed();
        long now = connection.now();
        return call(
                command,
                now,
                now + command.deadlineNanos(options.commandTimeout().toNanos()));
    }

    /** The same with a deadline that began before the connection was borrowed. */
    <T> T call(Command<T> command, long now, long deadline) {
        remember(command);
        PendingCall<T> call = new PendingCall<>(command, now, deadline, null);
        connection.submit(call);
        return Calls.await(call);
    }

    private void remember(Command<?> command) {
        if (command.spec().dedicated()) {
            switch (command.spec().name().toUpperCase(Locale.ROOT)) {
                case "WATCH" -> watching = true;
                case "UNWATCH" -> watching = false;
                default -> changed = true;
            }
        }
    }

    @Override
    public Pipeline pipeline() {
        refuseIfClosed();
        return new PipelineRun(connection, options, null);
    }

    @Override
    public Transaction transaction() {
        refuseIfClosed();
        return new TransactionRun(connection, options.commandTimeout().toNanos(), () -> watching = false);
    }

    @Override
    public boolean isOpen() {
        return !closed && connection.isOpen();
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            loan.end(!watching && !changed);
        }
    }

    private void refuseIfClosed() {
        if (closed) {
            throw new IllegalStateException("the connection was given back: borrow another");
        }
    }
}
