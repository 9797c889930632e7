// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks.millrace;

import io.millrace.lab.tasks.Machinery;
import io.millrace.tasks.Range;
import io.millrace.tasks.Source;
import io.millrace.tasks.TaskFlow;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;

/** A flow from ranges of numbers, fetched in batches as whatever comes from a file, a socket or a query is. */
record MillraceMachinery(UnaryOperator<TaskFlow<Long>> distribution) implements Machinery {

    private static final int BUFFER = 1_000;

    /** Numbers in a batch. */
    private static final int BATCH = 100;

    @Override
    public void run(int producers, int consumers, long tasks, LongConsumer work) {
        List<Source<Long>> sources = new Range(0, tasks)
                .split(producers).stream().map(MillraceMachinery::numbers).toList();
        var unused = distribution
                .apply(TaskFlow.from(sources).buffer(BUFFER).consumers(consumers))
                .run(work::accept);
    }

    private static Source<Long> numbers(Range range) {
        return new Source<>() {
            private long next = range.from();

            @Override
            public List<Long> next() {
                long from = next;
                next = Math.min(range.to(), from + BATCH);
                return LongStream.range(from, next).boxed().toList();
            }
        };
    }
}
