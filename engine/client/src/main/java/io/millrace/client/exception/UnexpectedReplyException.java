// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.exception;

import io.millrace.resp.Reply;

/** The server returned a kind of reply that the command's decoder does not accept. */
public final class UnexpectedReplyException extends RedisException {

    private static final long serialVersionUID = 1L;

    public UnexpectedReplyException(String expected, Reply reply) {
        super("expected " + expected + ", received a " + reply.getClass().getSimpleName(), true);
    }
}
