// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Calls the listeners of the two events of a run. The events of one job come one at a time and in order: an event waits until
 * the listeners of the event before have returned.
 *
 * <pre>
 *   run 1: LoadStarted -> LoadEnded
 *                             |
 *   run 2:                    +-----> LoadStarted -> LoadEnded
 * </pre>
 *
 * <p>Each event may come from another thread: a virtual thread publishes the end of a run whose thread is blocked.
 */
final class RunPublication {

    /** The thread that calls listeners of the job; null if no thread does. Common to all runs of the job. */
    private final AtomicReference<@Nullable Thread> publisher;

    /** The end of the run before. */
    private final CompletableFuture<Void> before;

    private final CompletableFuture<Void> started = new CompletableFuture<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    private RunPublication(AtomicReference<@Nullable Thread> publisher, CompletableFuture<Void> before) {
        this.publisher = publisher;
        this.before = before;
    }

    /** The publication before the first run of a job. Its events are over. */
    static RunPublication none() {
        RunPublication none = new RunPublication(new AtomicReference<>(), CompletableFuture.completedFuture(null));
        none.started.complete(null);
        none.ended.complete(null);
        return none;
    }

    /** The publication of the next run of the job. */
    RunPublication next() {
        return new RunPublication(publisher, ended);
    }

    /** Calls the listeners of the start. Blocks until the listeners of the run before have returned. */
    void start(Runnable listeners) {
        before.join();
        call(listeners, started);
    }

    /** Calls the listeners of the end. Blocks until the listeners of the start have returned. */
    void end(Runnable listeners) {
        started.join();
        call(listeners, ended);
    }

    private void call(Runnable listeners, CompletableFuture<Void> returned) {
        publisher.set(Thread.currentThread());
        try {
            listeners.run();
        } finally {
            publisher.set(null);
            returned.complete(null);
        }
    }

    /** Completed when the listeners of the end have returned. */
    CompletableFuture<Void> ended() {
        return ended;
    }

    /** Whether the calling thread runs a listener of this job. */
    boolean isOnCallingThread() {
        return Thread.currentThread().equals(publisher.get());
    }
}
