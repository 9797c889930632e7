// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/** Is told how the commands of a {@link BulkWriter} ended. */
@FunctionalInterface
public interface BulkListener {

    /**
     * A command has ended. Commands are told of in the order in which they were written; one that was refused at the time
     * of its refusal.
     *
     * <p>Runs on the thread that uses the writer, inside one of its methods; must not use the writer. What it throws comes out of that method.
     *
     * @param tag what was given to {@link BulkWriter#end}
     * @param command the command's spec
     */
    void ended(long tag, CommandSpec<?> command, Outcome outcome);
}
