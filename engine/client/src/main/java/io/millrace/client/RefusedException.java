// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/** A command was not sent, because the limit of commands or bytes in flight was reached until its deadline. */
public final class RefusedException extends RedisException {

    private static final long serialVersionUID = 1L;

    public RefusedException(String message) {
        super(message, false);
    }
}
