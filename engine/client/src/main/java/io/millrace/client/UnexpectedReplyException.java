// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.resp.Reply;

/** A reply is of a kind that its command does not give. */
public final class UnexpectedReplyException extends RedisException {

    private static final long serialVersionUID = 1L;

    public UnexpectedReplyException(String expected, Reply reply) {
        super("expected " + expected + ", got a " + reply.getClass().getSimpleName(), true);
    }
}
