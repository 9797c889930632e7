// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.micro;

import io.millrace.lab.tasks.HandOver;
import java.util.concurrent.atomic.LongAdder;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Hands tasks that do nothing from producers to 8 consumers. One operation is one task. */
@State(Scope.Benchmark)
public class HandOverBenchmark {

    private static final int TASKS = 100_000;
    private static final int CONSUMERS = 8;

    /** How tasks are handed over; see {@link HandOvers}. */
    @Param({
        "millrace-flow",
        "millrace-work-stealing",
        "jdk-virtual-threads",
        "jdk-platform-threads",
        "fs2-stream",
        "fs2-queue",
        "reactor-parallel"
    })
    String library = "millrace-flow";

    @Param({"1", "4"})
    int producers;

    private final LongAdder count = new LongAdder();
    private final LongAdder sum = new LongAdder();
    private HandOver handOver = (one, many, tasks, work) -> {};

    @Setup
    public void prepare() {
        handOver = HandOvers.named(library);
    }

    /** Hands over all tasks. Number and sum show whether each task arrived once. */
    @Benchmark
    @OperationsPerInvocation(TASKS)
    public void handOver() throws Exception {
        count.reset();
        sum.reset();
        handOver.run(producers, CONSUMERS, TASKS, this::work);
        long expectedSum = TASKS * (TASKS - 1L) / 2;
        if (count.sum() != TASKS || sum.sum() != expectedSum) {
            throw new IllegalStateException("tasks: expected=" + TASKS + ", arrived=" + count + "; sum: expected="
                    + expectedSum + ", arrived=" + sum);
        }
    }

    private void work(long number) {
        count.increment();
        sum.add(number);
    }
}
