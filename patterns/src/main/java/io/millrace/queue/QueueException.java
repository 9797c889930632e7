// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The queue could not be told what became of tasks. At least once, they will be delivered again; at most once, those are lost that were
 * never done.
 */
public final class QueueException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    QueueException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** Of {@code tasks} the queue was not told in so many nanoseconds; {@code then} says what comes of it. */
    static QueueException untold(
            String queue, long nanos, List<Settlement> tasks, String then, @Nullable Throwable cause) {
        List<String> first = tasks.stream().limit(10).map(Settlement::id).toList();
        return new QueueException(
                "the end of tasks could not be told after " + TimeUnit.NANOSECONDS.toMillis(nanos) + " ms: queue="
                        + queue + ", tasks=" + tasks.size() + ", first=" + first + ". " + then,
                cause);
    }
}
