// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Thrown when acknowledgements could not be sent to the queue. The server delivers these tasks again. */
public final class QueueException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    QueueException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /**
     * Returns the exception for {@code tasks} that were not settled within {@code nanos}. {@code then} describes the
     * consequence.
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
