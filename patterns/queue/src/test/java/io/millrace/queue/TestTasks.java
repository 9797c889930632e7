// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.tasks.Batching;
import io.millrace.tasks.Source;
import io.millrace.tasks.TaskCounts;
import io.millrace.tasks.TaskFlow;
import io.millrace.tasks.TaskFlowReport;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** Common parts of the queue tests. */
final class TestTasks {

    /** A short lease, but long enough for a live consumer to renew the lease in time. */
    static final Duration LEASE = Duration.ofSeconds(1);

    static final ConsumerOptions DRAIN = ConsumerOptions.DEFAULT
            .lease(LEASE)
            .retryTimeout(Duration.ofSeconds(60))
            .endingWhenEmpty();

    private TestTasks() {}

    /** Returns {@code count} tasks: {@code t0}, {@code t1} and so on. */
    static List<String> tasks(int count) {
        return IntStream.range(0, count).mapToObj(number -> "t" + number).toList();
    }

    static void push(QueueSink<String> sink, List<String> tasks) {
        TaskFlowReport<String> unused =
                TaskFlow.of(tasks).consumers(1).batches(Batching.of(500)).run(sink);
    }

    /** Consumes all tasks of the source with a consumer that does nothing. */
    static <T> TaskFlowReport<Delivery<T>> drain(Source<Delivery<T>> source) {
        return TaskFlow.from(source).consumers(4).run(delivery -> {});
    }

    /** Returns whether the stats of the source agree with the counts of its flow. */
    static boolean agree(QueueStats queue, TaskCounts flow) {
        return queue.pending() == 0
                && queue.delivered() == flow.produced()
                && queue.acknowledged() + queue.noLongerPending() + queue.unacknowledged() >= flow.succeeded()
                && queue.acknowledged() <= flow.succeeded();
    }
}
