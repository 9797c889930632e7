// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import org.jspecify.annotations.Nullable;

/** Why a cache has no value for a caller. */
public abstract sealed class CacheException extends RuntimeException
        permits LoadFailedException, LoadTimedOutException, LoadInterruptedException {

    private static final long serialVersionUID = 1L;

    CacheException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
