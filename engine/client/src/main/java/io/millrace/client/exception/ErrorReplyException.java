// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.exception;

import io.millrace.client.command.Fusion;
import io.millrace.resp.Reply;

/** The server answered a command with an error reply. */
public final class ErrorReplyException extends RedisException {

    private static final long serialVersionUID = 1L;

    private final String code;
    private final String serverMessage;
    private final boolean fused;

    public ErrorReplyException(String command, Reply.ErrorReply error) {
        this(command, error, true);
    }

    /**
     * Creates an exception. {@code maybeExecuted} is false only if the server certainly did not execute the command.
     */
    public ErrorReplyException(String command, Reply.ErrorReply error, boolean maybeExecuted) {
        super(
                command + (error.fused() ? " failed as part of a fused command: " : " failed: ") + error.message(),
                maybeExecuted);
        this.code = error.code();
        this.serverMessage = error.message();
        this.fused = error.fused();
    }

    /** First word of the server's message, such as {@code WRONGTYPE}. */
    public String code() {
        return code;
    }

    /** The error reply of the server. */
    public Reply.ErrorReply error() {
        return new Reply.ErrorReply(serverMessage, fused);
    }

    /** Whether the server returned this error for a {@linkplain Fusion fused} command that included this command. */
    public boolean fused() {
        return fused;
    }
}
