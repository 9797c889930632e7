// SPDX-License-Identifier: Apache-2.0
package io.millrace.embedded;

import java.io.Serial;

/** Thrown when the private server cannot be started or reached. The message is one line and suggests a solution. */
public final class EmbeddedRedisException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1;

    EmbeddedRedisException(String message) {
        super(message);
    }

    EmbeddedRedisException(String message, Throwable cause) {
        super(message, cause);
    }
}
