// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.command.CommandSpec;

/** Receives the outcome of each command of a {@link BulkWriter}. */
@FunctionalInterface
public interface BulkListener {

    /**
     * Called exactly one time for each command, after the command has its outcome. The calls are in the order in which
     * the commands were written, in a cluster for each hash slot, with one exception. If {@link BulkWriter#end} cannot submit a command, the listener
     * receives the outcome of this command immediately. Earlier commands that still wait for their replies are then
     * reported later.
     *
     * <p>The method is called on the thread that uses the writer, inside one of the writer's methods. The listener must
     * not use the writer. If the listener throws an exception, the caller of the writer's method receives the
     * exception.
     *
     * @param tag the value passed to {@link BulkWriter#end}
     * @param command the command's spec
     */
    void ended(long tag, CommandSpec<?> command, Outcome outcome);
}
