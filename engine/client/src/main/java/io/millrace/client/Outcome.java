// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.resp.Reply;

/** The outcome of a command. Every submitted command has exactly one outcome. */
public sealed interface Outcome {

    /** The server replied without an error. */
    record Ok(Reply reply) implements Outcome {}

    /** The server replied with an error. */
    record Failed(Reply.ErrorReply error) implements Outcome {}

    /** The deadline passed before a reply arrived. The command may have been executed, or may be executed later. */
    record TimedOut() implements Outcome {}

    /**
     * The command was not sent, so it was not executed: the limit of commands or bytes in flight was reached. With
     * {@link Overflow#BLOCK} the command waited until its deadline or until an interrupt; with {@link Overflow#REFUSE}
     * the command is refused at once.
     */
    record Refused() implements Outcome {}

    /**
     * The connection was closed before a reply arrived.
     *
     * @param maybeExecuted false if the operating system did not accept all bytes of the command
     * @param cause why the connection was closed, in one line
     */
    record Lost(boolean maybeExecuted, String cause) implements Outcome {}
}
