// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import org.jspecify.annotations.Nullable;

/**
 * The loader threw: its exception is the cause. Every caller that waited gets an exception of its own with that cause. There is no cause
 * where the failure was {@linkplain CacheOptions#failureTimeToLive kept} in Redis.
 */
public final class LoadFailedException extends CacheException {

    private static final long serialVersionUID = 1L;

    LoadFailedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
