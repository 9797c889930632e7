// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks.reactor;

import java.time.Duration;
import java.util.function.Function;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Runs flows for callers who know threads only. */
final class Threads {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /**
     * Blocks until what {@code flow} makes is done. It has a scheduler of the kind that is Reactor's default (as many
     * threads as cores) for itself, whose threads end with it: the shared one would live as long as the JVM.
     */
    static void run(Function<Scheduler, Mono<Void>> flow) {
        var scheduler = Schedulers.newParallel("lab-tasks");
        try {
            flow.apply(scheduler).block();
        } finally {
            scheduler.disposeGracefully().block(PATIENCE);
        }
    }

    private Threads() {}
}
