// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

/** Options that cannot be carried out together, or at all; found before anything is opened for writing. */
final class UsageException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    UsageException(String message) {
        super(message);
    }

    UsageException(String message, Throwable cause) {
        super(message, cause);
    }
}
