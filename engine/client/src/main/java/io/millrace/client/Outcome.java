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
     * The limit of commands or bytes in flight was reached, so the command was neither sent nor executed. With
     * {@link Overflow#BLOCK}, the caller first waits; the command is refused at its deadline, or when the caller is
     * interrupted. With {@link Overflow#REFUSE}, the command is refused immediately.
     */
    record Refused() implements Outcome {}

    /**
     * The connection was closed before a reply arrived.
     *
     * @param maybeExecuted whether the server may have executed the command; false if the operating system did not
     *     accept all bytes of the command for sending
     * @param cause why the connection was closed, in one line
     */
    record Lost(boolean maybeExecuted, String cause) implements Outcome {}
}
