// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.command.CommandSpec;

/** Receives the outcome of each command of a {@link BulkWriter}. */
@FunctionalInterface
public interface BulkListener {

    /**
     * Called once for each command, after the command has its outcome. The calls are in the order in which the commands
     * were written. Exception: a command that {@link BulkWriter#end} could not submit is reported at once, before
     * earlier commands that still wait for their replies.
     *
     * <p>Runs on the thread that uses the writer, inside one of the writer's methods. The listener must not use the
     * writer. If the listener throws an exception, the caller of the writer's method receives the exception.
     *
     * @param tag the value passed to {@link BulkWriter#end}
     * @param command the command's spec
     */
    void ended(long tag, CommandSpec<?> command, Outcome outcome);
}
