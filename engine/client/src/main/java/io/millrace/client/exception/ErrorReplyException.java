// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.exception;

import io.millrace.client.command.Fusion;
import io.millrace.resp.Reply;

/** The server answered a command with an error reply. */
public final class ErrorReplyException extends RedisException {

    private static final long serialVersionUID = 1L;

    private final String code;
    private final boolean fused;

    public ErrorReplyException(String command, Reply.ErrorReply error) {
        this(command, error, true);
    }

    /** Use {@code maybeExecuted} = false if the server certainly executed nothing. */
    public ErrorReplyException(String command, Reply.ErrorReply error, boolean maybeExecuted) {
        super(
                command + (error.fused() ? " failed, fused with others: " : " failed: ") + error.message(),
                maybeExecuted);
        this.code = error.code();
        this.fused = error.fused();
    }

    /** First word of the server's message, such as {@code WRONGTYPE}. */
    public String code() {
        return code;
    }

    /** Whether this is the error of a {@linkplain Fusion fused} command that included this command. */
    public boolean fused() {
        return fused;
    }
}
