// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.resp.Reply;

/** The outcome of a command. Every submitted command has exactly one. */
public sealed interface Outcome {

    /** The server replied without an error. */
    record Ok(Reply reply) implements Outcome {}

    /** The server replied with an error. */
    record Failed(Reply.ErrorReply error) implements Outcome {}

    /** The deadline passed before a reply arrived. The command may have been executed, or may be executed later. */
    record TimedOut() implements Outcome {}

    /**
     * The command was not sent, so it was not executed. The limit of commands or bytes in flight was reached and stayed
     * reached until the deadline or an interrupt; with {@link Overflow#REFUSE} the command is refused at once.
     */
    record Refused() implements Outcome {}

    /**
     * The connection ended before a reply arrived.
     *
     * @param maybeExecuted false if the operating system did not take all bytes of the command
     * @param cause why the connection ended, in one line
     */
    record Lost(boolean maybeExecuted, String cause) implements Outcome {}
}
