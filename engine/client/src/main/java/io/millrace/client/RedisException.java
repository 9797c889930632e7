// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/** What goes wrong between this client and a server. */
public class RedisException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public RedisException(String message) {
        super(message);
    }
}
