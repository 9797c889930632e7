// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import java.util.function.LongConsumer;

/** A way of handing tasks from producers to consumers that is measured with tasks that do nothing. */
public interface Machinery {

    /**
     * Has {@code work} called once for each number from 0 until {@code tasks}, by so many consumers at once, with the
     * numbers handed over by so many producers at once, each a range of its own; returns when all are done.
     *
     * @param work takes a few nanoseconds; may be called by several threads at once
     */
    void run(int producers, int consumers, long tasks, LongConsumer work) throws Exception;
}
