// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.resp.Reply;

/** The server answered a command with an error. */
public final class ErrorReplyException extends RedisException {

    private static final long serialVersionUID = 1L;

    private final String code;

    public ErrorReplyException(String command, Reply.ErrorReply error) {
        super(command + " failed: " + error.message(), true);
        this.code = error.code();
    }

    /** The first word of the server's message, such as {@code WRONGTYPE}. */
    public String code() {
        return code;
    }
}
