// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.time.Duration;

/**
 * When a consumer stops collecting and does what it has: at whichever limit is reached first, and when there will be no more.
 *
 * @param tasks at most so many, from 1
 * @param weight no further task is taken once so much is collected, by the weights of {@link Flow#weight}, from 1; a batch weighs
 *     less than this before its last task
 * @param within how long after the first task, 0 to 24 h; with 0 a batch is what is there at once
 */
public record Batching(int tasks, long weight, Duration within) {

    public Batching {
        Ranges.check("tasks", tasks, 1, 1 << 24);
        Ranges.check("weight", weight, 1, Long.MAX_VALUE);
        Ranges.check("within", within, Duration.ZERO, Duration.ofHours(24));
    }

    /** What is there at once, up to {@code tasks}: a batch never waits for its next task. */
    public static Batching of(int tasks) {
        return new Batching(tasks, Long.MAX_VALUE, Duration.ZERO);
    }

    public Batching weight(long limit) {
        return new Batching(tasks, limit, within);
    }

    public Batching within(Duration time) {
        return new Batching(tasks, weight, time);
    }
}
