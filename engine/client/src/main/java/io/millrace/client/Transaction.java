// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.List;

/**
 * Commands that the server executes one after the other with nobody else's in between ({@code MULTI}, {@code EXEC}). They
 * are isolated, not undone: one that fails leaves those around it executed.
 *
 * <p>Nothing is sent before {@link #run}, and then everything in one piece. For the account a transaction is one command, as
 * a script is. Belongs to one thread at a time; runs once.
 */
public interface Transaction {

    /** How a transaction ended. */
    enum Ending {
        /** The server executed all commands; each has its own outcome, which may be an error. */
        EXECUTED,
        /** A watched key had changed, so nothing was executed. */
        CONFLICT
    }

    /**
     * Adds {@code command}.
     *
     * @return its result, to be looked at if {@link #run} says {@link Ending#EXECUTED}
     * @throws IllegalArgumentException if the command blocks or needs a dedicated connection
     */
    <T> Result<T> add(Command<T> command);

    /**
     * Has the commands executed, and waits for it.
     *
     * @throws ErrorReplyException if the server refused a command, and so discarded all of them: nothing was executed. If it
     *     refused {@code MULTI} itself, to a user without the right to it, the commands ran one by one:
     *     {@link RedisException#maybeExecuted} tells the two apart
     * @throws RedisException if it is not known what happened, or nothing was sent
     */
    Ending run();

    /** The results in the order of the commands. */
    List<Result<?>> results();
}
