// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.command.Command;
import io.millrace.client.command.ScriptCall;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.RedisException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Commands that the server executes atomically, with no other client's commands in between ({@code MULTI},
 * {@code EXEC}). There is no rollback: if one command fails, the server still executes the other commands.
 *
 * <p>No command is sent before {@link #run}; {@code run} sends all commands together. The statistics count a
 * transaction as one command. Not thread-safe: a transaction must be used by one thread at a time. A transaction can be
 * run only one time.
 */
public interface Transaction {

    /** How a transaction ended. */
    enum Ending {
        /** The server executed all commands. Each command has its own outcome, which may be an error. */
        EXECUTED,
        /** A watched key changed before the server executed the transaction. The server executed no command. */
        CONFLICT
    }

    /**
     * Adds {@code command}.
     *
     * @return the result, available if {@link #run} returns {@link Ending#EXECUTED}
     * @throws IllegalArgumentException if the command blocks or needs a dedicated connection
     */
    <T> Result<T> add(Command<T> command);

    /**
     * Adds {@code script} as one {@code EVAL} command with the script's body. A missing script would otherwise be an
     * error of a transaction that the server has executed.
     *
     * @return the result, available if {@link #run} returns {@link Ending#EXECUTED}
     */
    default <T> Result<T> add(ScriptCall<T> script) {
        return add(script.withBody());
    }

    /**
     * Sends the commands and blocks until the server has executed them.
     *
     * <p>If the server rejects a command of the transaction, it discards the transaction and executes no command. The
     * method then throws an {@link ErrorReplyException} with {@link RedisException#maybeExecuted} false.
     *
     * <p>If the user has no permission for {@code MULTI}, the server rejects {@code MULTI} and may execute the commands
     * one by one. The method then throws an {@link ErrorReplyException} with {@code maybeExecuted} true.
     *
     * @throws ErrorReplyException if the server rejected {@code MULTI} or a command of the transaction
     * @throws RedisException if the outcome is unknown, or no command was sent
     */
    Ending run();

    /**
     * Sends the commands without waiting. The method does not block, unless the limit of commands or bytes in flight is
     * reached; then the {@link Overflow} policy applies.
     *
     * @param executor executor that completes the future, as in {@link RedisClient#send(Command, Executor)}
     * @return completes with the value or the exception of {@link #run}
     * @throws IllegalStateException if the transaction has run, or belongs to a borrowed connection
     */
    CompletableFuture<Ending> send(Executor executor);

    /** The results, in the order of the commands. */
    List<Result<?>> results();
}
