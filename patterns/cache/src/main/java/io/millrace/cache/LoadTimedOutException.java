// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

/**
 * Thrown when the deadline of a caller passes before the value is loaded. A load in progress continues, and its value
 * is cached.
 */
public final class LoadTimedOutException extends CacheException {

    private static final long serialVersionUID = 1L;

    LoadTimedOutException(String message) {
        super(message, null);
    }
}
