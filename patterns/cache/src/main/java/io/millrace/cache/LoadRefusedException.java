// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

/**
 * Thrown when the cache calls no loader, because at least 16 loaders of the cache have exceeded {@link
 * CacheOptions#loadTimeout}, were interrupted, and still run. As soon as fewer than 16 of them run, loads are possible
 * again. Values in Redis are served without interruption.
 */
public final class LoadRefusedException extends CacheException {

    private static final long serialVersionUID = 1L;

    LoadRefusedException(String message) {
        super(message, null);
    }
}
