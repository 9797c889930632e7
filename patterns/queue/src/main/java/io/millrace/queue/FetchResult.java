// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.util.List;

/**
 * The result of one fetch.
 *
 * @param tasks the tasks that are now pending for this consumer
 * @param deadLetters the tasks that reached the maximum number of deliveries. The server dead-lettered these tasks and
 *     did not deliver them
 * @param missing the number of tasks whose stream entry no longer existed
 */
record FetchResult<T>(List<ReceivedTask<T>> tasks, List<DeadLetter> deadLetters, int missing) {

    static <T> FetchResult<T> nothing() {
        return new FetchResult<>(List.of(), List.of(), 0);
    }

    boolean isEmpty() {
        return tasks.isEmpty() && deadLetters.isEmpty() && missing == 0;
    }
}
