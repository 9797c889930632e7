// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

/** The options are invalid or contradict each other. Thrown before any file is opened for writing. */
final class UsageException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    UsageException(String message) {
        super(message);
    }

    UsageException(String message, Throwable cause) {
        super(message, cause);
    }
}
