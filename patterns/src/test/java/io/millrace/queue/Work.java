// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.tasks.Batching;
import io.millrace.tasks.Flow;
import io.millrace.tasks.FlowReport;
import io.millrace.tasks.Source;
import io.millrace.tasks.TaskCounts;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** What tests of both kinds of queue have in common. */
final class Work {

    /** Short, but nobody who lives misses it. */
    static final Duration LEASE = Duration.ofMillis(600);

    static final ConsumerOptions DRAIN = ConsumerOptions.DEFAULT
            .lease(LEASE)
            .patience(Duration.ofSeconds(10))
            .endingWhenEmpty();

    private Work() {}

    /** {@code t0}, {@code t1} and so on. */
    static List<String> tasks(int count) {
        return IntStream.range(0, count).mapToObj(number -> "t" + number).toList();
    }

    static void push(QueueSink<String> sink, List<String> tasks) {
        FlowReport<String> unused =
                Flow.of(tasks).consumers(1).batches(Batching.of(500)).run(sink);
    }

    /** Does not do anything. */
    static <T> FlowReport<Delivery<T>> drain(Source<Delivery<T>> source) {
        return Flow.from(source).consumers(4).run(delivery -> {});
    }

    /** Whether the account of the source says the same as that of its flow. */
    static boolean agree(QueueAccount queue, TaskCounts flow) {
        return queue.inHand() == 0
                && queue.delivered() == flow.produced()
                && queue.acknowledged() + queue.takenAway() + queue.unacknowledged() >= flow.succeeded()
                && queue.acknowledged() <= flow.succeeded();
    }
}
