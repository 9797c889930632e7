// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import io.millrace.lab.tasks.TaskLibrary.Described;
import java.time.Duration;
import java.util.Map;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** The approaches in Reactor. Reactor has no work stealing: its rails receive tasks in turn. */
final class ReactorApproaches {

    private static final Described UNORDERED =
            described(ReactorFlows::unordered, "flatMapIterable with a prefetch of 12 batches, flatMap");

    static final TaskLibrary LIBRARY = new TaskLibrary(
            "reactor",
            "https://projectreactor.io/docs/core/release/reference/coreFeatures/schedulers.html",
            Map.ofEntries(
                    Map.entry(
                            ApproachMode.BATCH,
                            described(ReactorFlows::batchByBatch, "concatMap over batches, flatMap over their tasks")),
                    Map.entry(
                            ApproachMode.BLOCKING_QUEUE,
                            described(
                                    ReactorFlows::blockingQueue,
                                    "ArrayBlockingQueue of 1,000, take by fromCallable and subscribeOn of a"
                                            + " boundedElastic scheduler with up to 400 threads")),
                    Map.entry(ApproachMode.NONBLOCKING_QUEUE, queue()),
                    Map.entry(ApproachMode.STREAM_ORDERED, ordered(ApproachMode.SMALL_WINDOW, 0)),
                    Map.entry(ApproachMode.STREAM_ORDERED_PREFETCH, ordered(ApproachMode.SMALL_WINDOW, 3)),
                    Map.entry(ApproachMode.STREAM_ORDERED_LARGE, ordered(ApproachMode.LARGE_WINDOW, 0)),
                    Map.entry(ApproachMode.TWO_PRODUCERS_QUEUE, queue()),
                    Map.entry(ApproachMode.TWO_PRODUCERS_STREAMS, ordered(ApproachMode.SMALL_WINDOW, 1)),
                    Map.entry(ApproachMode.UNORDERED, UNORDERED),
                    Map.entry(ApproachMode.TEN_PRODUCERS, UNORDERED)));

    private static final Duration DISPOSE_LIMIT = Duration.ofSeconds(10);

    private ReactorApproaches() {}

    private static Described queue() {
        return described(ReactorFlows::queue, "publishOn with a queue of 1,000, flatMap");
    }

    private static Described ordered(int window, int batchesAhead) {
        return described(
                flows -> flows.ordered(window, batchesAhead),
                "flatMapSequential with " + window + "; a flatMap of 100 limits the consumers"
                        + (batchesAhead == 0 ? "" : "; batches fetched in advance by publishOn: " + batchesAhead));
    }

    private static Described described(Function<ReactorFlows, Publisher<?>> flow, String note) {
        Approach approach = (scenario, observer) -> {
            // The default kind of scheduler, with one thread per core. The shared one would never end.
            Scheduler scheduler = Schedulers.newParallel("lab-tasks");
            try {
                Mono.when(flow.apply(new ReactorFlows(scenario, observer, scheduler)))
                        .block();
            } finally {
                scheduler.disposeGracefully().block(DISPOSE_LIMIT);
            }
        };
        return new Described(approach, note);
    }
}
