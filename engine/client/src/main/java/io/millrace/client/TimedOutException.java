// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/** A command was sent, and its deadline passed before its reply came. */
public final class TimedOutException extends RedisException {

    private static final long serialVersionUID = 1L;

    public TimedOutException(String message) {
        super(message, true);
    }
}
