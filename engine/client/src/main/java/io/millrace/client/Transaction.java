// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.command.Command;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.RedisException;
import java.util.List;

/**
 * Commands that the server executes atomically, with no other client's commands in between ({@code MULTI},
 * {@code EXEC}). There is no rollback: if one command fails, the others are executed nevertheless.
 *
 * <p>No command is sent before {@link #run}; {@code run} sends all commands at once. A transaction counts as one
 * command in the statistics, like a script. Used by one thread at a time. Can be run only once.
 */
public interface Transaction {

    /** How a transaction ended. */
    enum Ending {
        /** The server executed all commands. Each command has its own outcome, which may be an error. */
        EXECUTED,
        /** A watched key had changed. The server executed no command. */
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
     * Sends the commands and blocks until the server has executed them.
     *
     * @throws ErrorReplyException if the server rejected a command and therefore discarded the transaction: no command
     *     was executed. If the server rejected {@code MULTI} itself, because the user has no permission for
     *     {@code MULTI}, the commands were executed one by one. {@link RedisException#maybeExecuted} distinguishes the
     *     two cases
     * @throws RedisException if the outcome is unknown, or no command was sent
     */
    Ending run();

    /** The results, in the order of the commands. */
    List<Result<?>> results();
}
