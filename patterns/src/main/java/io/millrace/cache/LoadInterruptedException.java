// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

/** A caller was interrupted while it waited. The thread's interrupt flag is set again; a load that was begun goes on. */
public final class LoadInterruptedException extends CacheException {

    private static final long serialVersionUID = 1L;

    LoadInterruptedException(String message, Throwable cause) {
        super(message, cause);
    }
}
