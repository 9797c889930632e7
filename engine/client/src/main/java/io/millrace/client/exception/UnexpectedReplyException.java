// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.exception;

import io.millrace.resp.Reply;

/** The reply is of a kind that the command's decoder does not accept. */
public final class UnexpectedReplyException extends RedisException {

    private static final long serialVersionUID = 1L;

    public UnexpectedReplyException(String expected, Reply reply) {
        super("expected " + expected + ", got a " + reply.getClass().getSimpleName(), true);
    }
}
