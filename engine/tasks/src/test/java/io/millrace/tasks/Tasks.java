// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Tasks and sources for tests. */
final class Tasks {

    private Tasks() {}

    /** The numbers from 0 to {@code count - 1}. */
    static List<Integer> numbers(int count) {
        return numbers(0, count);
    }

    static List<Integer> numbers(int from, int to) {
        return IntStream.range(from, to).boxed().toList();
    }

    /** Numbers from 0 in batches, without end. */
    static Source<Integer> endless(int batch) {
        AtomicInteger next = new AtomicInteger();
        return () -> {
            int from = next.getAndAdd(batch);
            return numbers(from, from + batch);
        };
    }

    /** Counts of a flow that has ended, without retries. */
    static TaskCounts counts(long succeeded, long failed, long timedOut, long cancelled) {
        return new TaskCounts(succeeded + failed + timedOut + cancelled, succeeded, failed, timedOut, cancelled, 0, 0);
    }
}
