// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

/**
 * Thrown when a waiting caller is interrupted. The interrupt flag of the thread is set. A load in progress continues.
 */
public final class LoadInterruptedException extends CacheException {

    private static final long serialVersionUID = 1L;

    LoadInterruptedException(String message, Throwable cause) {
        super(message, cause);
    }
}
