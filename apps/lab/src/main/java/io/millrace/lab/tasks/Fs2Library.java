// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import io.millrace.lab.tasks.TaskLibrary.Described;
import io.millrace.lab.tasks.fs2.Fs2Approaches;
import java.util.Map;

/**
 * fs2 with cats-effect, written in Scala. The runtime of cats-effect steals fibers, but has no queue per consumer, so
 * there is no approach with work stealing.
 */
final class Fs2Library {

    private static final Described QUEUE =
            new Described(Fs2Approaches.nonBlockingQueue(), "Queue.bounded of 1,000, a fiber for each consumer");
    private static final Described UNORDERED = new Described(
            Fs2Approaches.unordered(), "prefetchN(5), which holds about ten batches; parEvalMapUnordered");

    static final TaskLibrary LIBRARY = new TaskLibrary(
            "fs2",
            "https://fs2.io/#/guide?id=concurrency",
            Map.ofEntries(
                    Map.entry(
                            ApproachMode.BATCH,
                            new Described(Fs2Approaches.batchByBatch(), "parTraverseN over each batch")),
                    Map.entry(
                            ApproachMode.BLOCKING_QUEUE,
                            new Described(
                                    Fs2Approaches.blockingQueue(),
                                    "ArrayBlockingQueue of 1,000 with IO.interruptible, a fiber for each consumer")),
                    Map.entry(ApproachMode.NONBLOCKING_QUEUE, QUEUE),
                    Map.entry(ApproachMode.STREAM_ORDERED, ordered(ApproachMode.SMALL_WINDOW, false)),
                    Map.entry(ApproachMode.STREAM_ORDERED_PREFETCH, ordered(ApproachMode.SMALL_WINDOW, true)),
                    Map.entry(ApproachMode.STREAM_ORDERED_LARGE, ordered(ApproachMode.LARGE_WINDOW, false)),
                    Map.entry(ApproachMode.TWO_PRODUCERS_QUEUE, QUEUE),
                    Map.entry(ApproachMode.TWO_PRODUCERS_STREAMS, ordered(ApproachMode.SMALL_WINDOW, false)),
                    Map.entry(ApproachMode.UNORDERED, UNORDERED),
                    Map.entry(ApproachMode.TEN_PRODUCERS, UNORDERED)));

    private Fs2Library() {}

    private static Described ordered(int window, boolean prefetch) {
        return new Described(
                Fs2Approaches.ordered(window, prefetch),
                (prefetch ? "prefetch, " : "") + "parEvalMap with " + window
                        + "; a Semaphore of 100 limits the consumers");
    }
}
