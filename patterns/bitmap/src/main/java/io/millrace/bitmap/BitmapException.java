// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if stored values are not valid, or if values could not be stored. A failure of a single command is a {@link
 * io.millrace.client.exception.RedisException}.
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
