// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.Outcome;
import io.millrace.client.Result;
import io.millrace.client.Transaction;
import io.millrace.client.command.Command;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.UnexpectedReplyException;
import io.millrace.resp.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A transaction over one connection. */
public final class ConnectionTransaction implements Transaction {

    private final SubmissionTarget connection;
    private final long defaultNanos;
    private final Runnable whenRun;
    private final @Nullable ExecutorConnections executorConnections;
    private final List<TransactionResult<?>> results = new ArrayList<>();
    private boolean ran;

    /**
     * Creates an empty transaction.
     *
     * @param whenRun runs when the server has executed EXEC; EXEC removes all watches
     * @param executorConnections the connections for {@link #send}; null if the transaction cannot be sent
     */
    public ConnectionTransaction(
            SubmissionTarget connection,
            long defaultNanos,
            Runnable whenRun,
            @Nullable ExecutorConnections executorConnections) {
        this.connection = connection;
        this.defaultNanos = defaultNanos;
        this.whenRun = whenRun;
        this.executorConnections = executorConnections;
    }

    @Override
    public <T> Result<T> add(Command<T> command) {
        if (ran) {
            throw new IllegalStateException("the transaction has already run");
        }
        ConnectionScope.SHARED.check(command);
        TransactionResult<T> result = new TransactionResult<>(command);
        results.add(result);
        return result;
    }

    @Override
    public Ending run() {
        TransactionCall call = submit(connection, null);
        if (!call.await()) {
            throw Failures.interrupted("a transaction", call);
        }
        if (call.ending() instanceof Outcome.Refused && Thread.currentThread().isInterrupted()) {
            throw Failures.interruptedBefore("a transaction", call);
        }
        return call.value();
    }

    @Override
    public CompletableFuture<Ending> send(Executor executor) {
        Objects.requireNonNull(executor, "executor");
        if (executorConnections == null) {
            throw new IllegalStateException("a transaction of a borrowed connection cannot be sent. Call run()");
        }
        CompletableFuture<Ending> future = new CompletableFuture<>();
        TransactionCall unused = submit(
                executorConnections.connectionOf().apply(executor),
                new FutureCompletion<>(future, executorConnections.completions(), executor));
        return future;
    }

    private TransactionCall submit(SubmissionTarget target, @Nullable FutureCompletion<Ending> futureCompletion) {
        if (ran) {
            throw new IllegalStateException("the transaction has already run");
        }
        ran = true;
        long now = target.now();
        long limit = defaultNanos;
        List<Command<?>> commands = new ArrayList<>(results.size());
        for (TransactionResult<?> result : results) {
            commands.add(result.command());
            limit = Math.max(limit, result.command().deadlineNanos(defaultNanos));
        }
        TransactionCall call = new TransactionCall(commands, now, now + limit, futureCompletion, this::ending);
        target.submit(call);
        return call;
    }

    private Ending ending(TransactionCall call) {
        Outcome outcome = call.ending();
        if (call.notIsolated()) {
            throw new ErrorReplyException(
                    "MULTI (the other commands may have been executed one by one)", refusal(call, outcome));
        }
        if (outcome instanceof Outcome.Failed) {
            throw new ErrorReplyException("a transaction (nothing was executed)", refusal(call, outcome), false);
        }
        if (!(outcome instanceof Outcome.Ok ok)) {
            throw Failures.exception("a transaction", outcome, call);
        }
        whenRun.run();
        if (ok.reply() instanceof Reply.Null) {
            return Ending.CONFLICT;
        }
        if (!(ok.reply() instanceof Reply.ArrayReply array) || array.items().size() != results.size()) {
            throw new UnexpectedReplyException("an array of " + results.size() + " items", ok.reply());
        }
        for (int i = 0; i < results.size(); i++) {
            results.get(i).decide(Outcomes.answered(array.items().get(i)));
        }
        return Ending.EXECUTED;
    }

    private static Reply.ErrorReply refusal(TransactionCall call, Outcome outcome) {
        Reply.ErrorReply first = call.refusal();
        if (first != null) {
            return first;
        }
        return outcome instanceof Outcome.Failed failed
                ? failed.error()
                : new Reply.ErrorReply("ERR the server gave no reason");
    }

    @Override
    public List<Result<?>> results() {
        return List.copyOf(results);
    }
}
