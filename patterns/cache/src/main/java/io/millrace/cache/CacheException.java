// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import org.jspecify.annotations.Nullable;

/** The base class of the exceptions of a cache lookup. */
public abstract sealed class CacheException extends RuntimeException
        permits LoadFailedException, LoadTimedOutException, LoadInterruptedException, LoadRefusedException {

    private static final long serialVersionUID = 1L;

    CacheException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
