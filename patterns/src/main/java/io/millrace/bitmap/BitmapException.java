// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import org.jspecify.annotations.Nullable;

/**
 * What is in Redis is not what it has to be, or could not be brought there. What goes wrong between the client and the server in a
 * single command is a {@link io.millrace.client.RedisException}, as everywhere.
 */
public final class BitmapException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    BitmapException(String message) {
        this(message, null);
    }

    BitmapException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
