// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.time.Duration;

/**
 * Limits of a batch. A consumer stops collecting tasks when it reaches one of the two limits, or when there are no more
 * tasks.
 *
 * @param tasks maximum number of tasks, 1 to 16,777,216
 * @param within maximum time to collect further tasks after the first task, zero to 24 h; with zero the consumer does
 *     not wait, and takes only tasks that are already available
 */
public record Batching(int tasks, Duration within) {

    public Batching {
        RangeChecks.check("tasks", tasks, 1, 1 << 24);
        RangeChecks.check("within", within, Duration.ZERO, Duration.ofHours(24));
    }

    /**
     * Batches of up to {@code tasks} tasks that are already available. A consumer never waits in order to enlarge a
     * batch.
     */
    public static Batching of(int tasks) {
        return new Batching(tasks, Duration.ZERO);
    }

    public Batching within(Duration time) {
        return new Batching(tasks, time);
    }
}
