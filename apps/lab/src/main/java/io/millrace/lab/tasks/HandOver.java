// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import java.util.function.LongConsumer;

/** Hands over tasks that do nothing, so that only the hand-over itself costs time. */
@FunctionalInterface
public interface HandOver {

    /**
     * Calls {@code work} once for each number from 0 to {@code tasks} - 1. Returns after the last call.
     *
     * @param producers number of producers, each with an equal range of the numbers
     * @param consumers maximum number of concurrent calls of {@code work}
     */
    void run(int producers, int consumers, long tasks, LongConsumer work) throws Exception;
}
