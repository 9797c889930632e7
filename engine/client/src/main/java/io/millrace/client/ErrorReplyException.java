// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.resp.Reply;

/** The server answered a command with an error. */
public final class ErrorReplyException extends RedisException {

    private static final long serialVersionUID = 1L;

    private final String code;
    private final boolean fused;

    public ErrorReplyException(String command, Reply.ErrorReply error) {
        this(command, error, true);
    }

    /** With {@code maybeExecuted} false where the server is known to have executed nothing. */
    public ErrorReplyException(String command, Reply.ErrorReply error, boolean maybeExecuted) {
        super(
                command + (error.fused() ? " failed, fused with others: " : " failed: ") + error.message(),
                maybeExecuted);
        this.code = error.code();
        this.fused = error.fused();
    }

    /** The first word of the server's message, such as {@code WRONGTYPE}. */
    public String code() {
        return code;
    }

    /** Whether it is the error of a {@linkplain Fusion fused} command, of which this was one part. */
    public boolean fused() {
        return fused;
    }
}
