// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the loader failed. Each waiting caller gets a separate instance whose cause is the exception of the
 * loader. If the failure was {@linkplain CacheOptions#failureTimeToLive cached} in Redis, the exception has no cause.
 */
public final class LoadFailedException extends CacheException {

    private static final long serialVersionUID = 1L;

    LoadFailedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
