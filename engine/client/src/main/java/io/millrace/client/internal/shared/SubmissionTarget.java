// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.command.Command;

/** The target of pipelines and transactions: a shared connection, or a dedicated one while it is borrowed. */
public interface SubmissionTarget {

    /** The time of the client's clock. */
    long now();

    /**
     * Submits {@code submission}. If no permit is free before the deadline, the submission is refused. With {@code
     * Overflow.REFUSE}, a submission that finds no free permit is refused without waiting.
     *
     * @throws IllegalStateException if the connection was returned to the pool
     */
    void submit(CallerSubmission submission);

    /**
     * Checks whether {@code command} can be submitted.
     *
     * @throws IllegalArgumentException if the command needs several servers
     */
    default void check(Command<?> command) {}

    /**
     * Submits the refused commands of the paused {@code batch} again. If no permit is free before the deadline, they end
     * with the error of the server.
     *
     * @throws IllegalStateException if the connection was returned to the pool
     */
    void submitAgain(PipelineBatch batch);
}
