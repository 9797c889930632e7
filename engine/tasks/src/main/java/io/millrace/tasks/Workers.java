// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The workers of a flow, including replacements. Used by the supervisor thread, except for the methods that workers
 * call at their end.
 */
final class Workers<T> {

    /** Number of abandoned workers that a flow tolerates at the same time, even if the flow has fewer workers. */
    private static final int MIN_TOLERATED = 16;

    private final Supervisor<T> flow;
    private final Settings settings;
    private final ConsumerCall<T> consumerCall;

    /** Workers that were not abandoned, and abandoned workers that could not be replaced. */
    private final List<Worker<T>> present = new ArrayList<>();

    /** Number of present workers that have not ended. A worker decrements this number when it ends. */
    private final AtomicInteger running = new AtomicInteger();

    /** Number of abandoned workers that have not returned. A worker decrements this number when it returns. */
    private final AtomicInteger abandonedRunning = new AtomicInteger();

    Workers(Supervisor<T> flow, Settings settings, ConsumerCall<T> consumerCall) {
        this.flow = flow;
        this.settings = settings;
        this.consumerCall = consumerCall;
    }

    /** Starts all workers. If a start fails, {@link #present} contains the workers that were started before. */
    void start() {
        for (int lane = 0; lane < settings.consumers(); lane++) {
            start(lane, null);
        }
    }

    private void start(int lane, @Nullable Worker<T> replaced) {
        Worker<T> worker = new Worker<>(flow, settings, consumerCall, lane, replaced);
        worker.thread().start();
        running.incrementAndGet();
        present.add(worker);
    }

    int running() {
        return running.get();
    }

    /**
     * Interrupts workers whose tasks are late or dropped, and replaces workers that do not return.
     *
     * @param now current time, from the clock of the settings
     * @param listenersToo whether to also interrupt workers that execute no task; such a worker may be waiting in a
     *     listener
     * @return nanoseconds until the next check, or {@link Worker#NEVER}
     */
    long check(long now, boolean listenersToo) {
        long next = Worker.NEVER;
        for (Worker<T> worker : List.copyOf(present)) {
            TaskOwnership ownership = worker.ownership();
            next = Math.min(next, ownership.check(now));
            if (ownership.abandon(now)) {
                replace(worker);
            } else if (listenersToo) {
                ownership.interruptIfIdle();
            }
        }
        return next;
    }

    /** Replaces an abandoned worker, or stops the flow if too many workers are abandoned. */
    private void replace(Worker<T> worker) {
        flow.abandoned(worker.thread());
        int abandonedNow = abandonedRunning.incrementAndGet();
        try {
            start(worker.lane(), worker);
            present.remove(worker);
        } catch (Throwable e) {
            flow.stats().sourceFailed(e, OnStop.DROP);
        }
        running.decrementAndGet();
        if (abandonedNow > Math.max(settings.consumers(), MIN_TOLERATED)) {
            String why = "too many consumers ignored an interrupt: abandoned=" + abandonedNow + ", consumers="
                    + settings.consumers() + ". A task must end when its thread is interrupted";
            flow.stats().sourceFailed(new IllegalStateException(why), OnStop.DROP);
        }
    }

    /**
     * Waits until the threads of the workers have ended, and returns the tasks that the workers did not settle. Called
     * when all workers have called {@link #ended}.
     */
    List<Entry<T>> awaitAndTakeUnsettled() throws InterruptedException {
        List<Entry<T>> unsettled = new ArrayList<>();
        for (Worker<T> worker : present) {
            if (!worker.ownership().isAbandoned()) {
                worker.thread().join();
            }
            unsettled.addAll(worker.unsettled());
            unsettled.addAll(worker.nextOfKeys());
        }
        return unsettled;
    }

    // Called by workers, in any thread.

    void ended() {
        running.decrementAndGet();
    }

    /** Called when an abandoned worker has returned. */
    void abandonedEnded() {
        abandonedRunning.decrementAndGet();
    }
}
