// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;

/**
 * The attempt of a task.
 *
 * @param attempt number of the attempt of the task, from 0
 * @param task number of the attempt among all attempts of the application
 */
record AttemptId(int partition, int attempt, long task, String host) {

    /** The attempt that runs on the calling thread. */
    static AttemptId current(int partition, long task) {
        TaskContext context = TaskContext.get();
        String host = SparkEnv.get() == null
                ? "unknown host"
                : SparkEnv.get().blockManager().blockManagerId().host();
        return new AttemptId(partition, context == null ? 0 : context.attemptNumber(), task, host);
    }

    /** Such as {@code partition 3, attempt 0 on 10.0.0.7}. */
    @Override
    public String toString() {
        return "partition " + partition + ", attempt " + attempt + " on " + host;
    }
}
