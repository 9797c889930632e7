// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.command.CommandSpec;

/** Receives the outcome of each command of a {@link BulkWriter}. */
@FunctionalInterface
public interface BulkListener {

    /**
     * Called once for each command, after the command has its outcome. The calls are in the order in which the commands
     * were written. Only a refused command is reported at once.
     *
     * <p>Runs on the thread that uses the writer, inside one of the writer's methods. Must not use the writer. If the
     * listener throws an exception, that method of the writer rethrows the exception.
     *
     * @param tag the value passed to {@link BulkWriter#end}
     * @param command the command's spec
     */
    void ended(long tag, CommandSpec<?> command, Outcome outcome);
}
