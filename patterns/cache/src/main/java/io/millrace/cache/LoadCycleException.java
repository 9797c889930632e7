// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

/** Thrown when a loader requests its own key, directly or through the loaders of other keys. */
final class LoadCycleException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    LoadCycleException(String message) {
        super(message);
    }
}
