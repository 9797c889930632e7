// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

/**
 * Thrown in two cases. If the {@linkplain CacheOptions#deadline deadline} of a caller passes before the value is loaded,
 * the load continues, and its value is cached. If the loader exceeds the {@linkplain CacheOptions#loadTimeout load
 * timeout}, all callers of the load get this exception, the loader is interrupted, and its value is dropped. The message
 * names the limit.
 */
public final class LoadTimedOutException extends CacheException {

    private static final long serialVersionUID = 1L;

    LoadTimedOutException(String message) {
        super(message, null);
    }
}
