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
 */
record FetchResult<T>(List<TakenJob<T>> jobs, List<BuriedJob<T>> buried, int missing, Duration pause) {

    static <T> FetchResult<T> nothing() {
        return pausing(Duration.ZERO);
    }

    static <T> FetchResult<T> pausing(Duration pause) {
        return new FetchResult<>(List.of(), List.of(), 0, pause);
    }

    static <T> FetchResult<T> of(List<TakenJob<T>> jobs) {
        return new FetchResult<>(jobs, List.of(), 0, Duration.ZERO);
    }

    boolean isEmpty() {
        return jobs.isEmpty() && buried.isEmpty() && missing == 0;
    }
}
