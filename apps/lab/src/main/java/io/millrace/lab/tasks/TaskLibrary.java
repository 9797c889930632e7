// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import io.millrace.lab.tasks.fs2.Fs2Approaches;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * A library and its approaches.
 *
 * @param settings calls and limits of all approaches
 * @param documentation address of the page that the approaches follow
 * @param approaches empty for a mode that the library does not offer
 */
record TaskLibrary(
        String name, String settings, String documentation, Function<ApproachMode, Optional<Approach>> approaches) {

    static final List<TaskLibrary> ALL = List.of(
            new TaskLibrary(
                    "millrace",
                    "TaskFlow with a buffer of 1,000; ordered: window = buffer + consumers, a thread of each source"
                            + " prefetches; blocking queue: two flows and an ArrayBlockingQueue of 1,000",
                    "docs/tasks.md",
                    MillraceApproaches::of),
            new TaskLibrary(
                    "fs2",
                    "batch: parTraverseN; queues: a fiber for each consumer, Queue.bounded or ArrayBlockingQueue with"
                            + " IO.interruptible, of 1,000; ordered: prefetch, parEvalMap(window), Semaphore of 100;"
                            + " unordered: prefetchN(5), which holds about ten batches, parEvalMapUnordered",
                    "https://fs2.io/#/guide?id=concurrency",
                    mode -> Fs2Approaches.of(mode)),
            new TaskLibrary(
                    "reactor",
                    "batch: concatMap, flatMap; queue: publishOn with 1,000, flatMap; blocking queue: take on a"
                            + " boundedElastic scheduler with up to 400 threads; ordered: prefetch by publishOn,"
                            + " flatMapSequential(window), a flatMap of 100 limits the consumers; unordered:"
                            + " flatMapIterable with a prefetch of 12 batches, flatMap",
                    "https://projectreactor.io/docs/core/release/reference/coreFeatures/schedulers.html",
                    ReactorApproaches::of),
            new TaskLibrary(
                    "jdk",
                    "batch: invokeAll on a pool of 100 virtual threads; queue: ArrayBlockingQueue of 1,000, a virtual"
                            + " thread for each consumer; work stealing: newWorkStealingPool(100), platform threads,"
                            + " a Semaphore limits the tasks to 1,100",
                    "https://docs.oracle.com/en/java/javase/21/core/virtual-threads.html",
                    JdkApproaches::of));
}
