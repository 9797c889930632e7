// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a source cannot send its acknowledgements to the server. The server delivers the unacknowledged tasks
 * again.
 */
public final class QueueException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    QueueException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /**
     * Returns the exception for {@code tasks} that were not settled within {@code nanos}. {@code then} is the last
     * sentence of the message.
     */
    static QueueException notAcknowledged(
            String queue, long nanos, List<Acknowledgement> tasks, String then, @Nullable Throwable cause) {
        List<String> first = tasks.stream().limit(10).map(Acknowledgement::id).toList();
        return new QueueException(
                "tasks could not be acknowledged after " + TimeUnit.NANOSECONDS.toMillis(nanos) + " ms: queue=" + queue
                        + ", tasks=" + tasks.size() + ", first=" + first + ". " + then,
                cause);
    }
}
