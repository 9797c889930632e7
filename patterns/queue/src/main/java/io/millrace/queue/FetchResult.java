// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.util.List;

/**
 * The result of one fetch.
 *
 * @param tasks now pending for this consumer
 * @param deadLetters tasks that the server dead-lettered instead, because they reached the maximum number of deliveries
 * @param missing the number of tasks whose entry no longer existed
 */
record FetchResult<T>(List<ReceivedTask<T>> tasks, List<DeadLetter> deadLetters, int missing) {

    static <T> FetchResult<T> nothing() {
        return new FetchResult<>(List.of(), List.of(), 0);
    }

    boolean isEmpty() {
        return tasks.isEmpty() && deadLetters.isEmpty() && missing == 0;
    }
}
