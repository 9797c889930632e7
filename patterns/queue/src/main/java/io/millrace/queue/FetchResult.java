// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.time.Duration;
import java.util.List;

/**
 * The result of one fetch.
 *
 * @param jobs the jobs that this worker now holds
 * @param buried the jobs that the server moved to the dead jobs during the fetch
 * @param missing the number of jobs whose stream entry no longer existed
 * @param pause the time for which the worker should not fetch again, zero if the worker may fetch at once
 * @param queuePaused whether an operator has paused the queue
 */
record FetchResult<T>(
        List<TakenJob<T>> jobs, List<BuriedJob<T>> buried, int missing, Duration pause, boolean queuePaused) {

    private static final Duration QUEUE_PAUSE = Duration.ofSeconds(1);

    static <T> FetchResult<T> nothing() {
        return pausing(Duration.ZERO);
    }

    /** The worker should fetch again after {@code pause}. */
    static <T> FetchResult<T> pausing(Duration pause) {
        return new FetchResult<>(List.of(), List.of(), 0, pause, false);
    }

    /** The queue is paused. The worker looks again after one second. */
    static <T> FetchResult<T> paused() {
        return new FetchResult<>(List.of(), List.of(), 0, QUEUE_PAUSE, true);
    }

    static <T> FetchResult<T> of(List<TakenJob<T>> jobs) {
        return new FetchResult<>(jobs, List.of(), 0, Duration.ZERO, false);
    }

    boolean isEmpty() {
        return jobs.isEmpty() && buried.isEmpty() && missing == 0;
    }
}
