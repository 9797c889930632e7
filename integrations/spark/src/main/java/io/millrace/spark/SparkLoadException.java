// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if a job cannot start, or if it fails. The message names the partition, the attempt and the host of a failed task,
 * and its cause. On the driver, Spark wraps the exception of a task into another exception.
 */
public final class SparkLoadException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Number of the partition; -1 if the exception concerns the whole job. */
    private final int partition;

    SparkLoadException(String message) {
        this(message, -1, null);
    }

    SparkLoadException(String message, @Nullable Throwable cause) {
        this(message, -1, cause);
    }

    SparkLoadException(String message, int partition, @Nullable Throwable cause) {
        super(message, cause);
        this.partition = partition;
    }

    /** The number of the partition whose task has failed; empty if the exception concerns the whole job. */
    public OptionalInt partition() {
        return partition < 0 ? OptionalInt.empty() : OptionalInt.of(partition);
    }
}
