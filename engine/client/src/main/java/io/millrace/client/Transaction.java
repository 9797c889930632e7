// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.command.Command;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.RedisException;
import java.util.List;

/**
 * Commands that the server executes atomically, with no other client's commands in between ({@code MULTI},
 * {@code EXEC}). There is no rollback: if one command fails, the server still executes the other commands.
 *
 * <p>No command is sent before {@link #run}; {@code run} sends all commands at once. The statistics count a transaction
 * as one command. Used by one thread at a time. Can be run only once.
 */
public interface Transaction {

    /** How a transaction ended. */
    enum Ending {
        /** The server executed all commands. Each command has its own outcome, which may be an error. */
        EXECUTED,
        /** A watched key changed before the transaction. The server executed no command. */
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
     * @throws ErrorReplyException in two cases. If the server rejected a command of the transaction, the server
     *     discarded the transaction and executed no command; {@link RedisException#maybeExecuted} is false. If the
     *     server rejected {@code MULTI}, because the user has no permission for {@code MULTI}, the server may have
     *     executed the commands one by one; {@code maybeExecuted} is true
     * @throws RedisException if the outcome is unknown, or no command was sent
     */
    Ending run();

    /** The results, in the order of the commands. */
    List<Result<?>> results();
}
