// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.resp.Reply;

/** How a command ended. Every command that is submitted ends in exactly one of these. */
public sealed interface Outcome {

    /** The server answered, and not with an error. */
    record Ok(Reply reply) implements Outcome {}

    /** The server answered with an error. */
    record Failed(Reply.ErrorReply error) implements Outcome {}

    /** The deadline passed before a reply came. The command may have been executed, or may still be. */
    record TimedOut() implements Outcome {}

    /**
     * Never sent, and so certainly not executed: the limit of commands or bytes in flight was reached, until the deadline or
     * an interrupt, or at once with {@link Overflow#REFUSE}.
     */
    record Refused() implements Outcome {}

    /**
     * The connection ended before a reply came.
     *
     * @param maybeExecuted false if the operating system never took all of the command's bytes
     * @param cause why the connection ended, in one line
     */
    record Lost(boolean maybeExecuted, String cause) implements Outcome {}
}
