// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

/** A caller's deadline passed before the value was loaded. A load that was begun goes on, and its value is kept. */
public final class LoadTimedOutException extends CacheException {

    private static final long serialVersionUID = 1L;

    LoadTimedOutException(String message) {
        super(message, null);
    }
}
