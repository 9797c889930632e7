// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import org.jspecify.annotations.Nullable;

/** Tasks were done, but the queue could not be told: they will be delivered again. */
public final class QueueException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    QueueException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
