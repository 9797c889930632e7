// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The workers of a flow, and those in whose place they have come. Used by the supervisor's thread, but for what workers tell of their
 * own end.
 */
final class Workers<T> {

    /** So many may be abandoned at the same time even where there are fewer workers. */
    private static final int LEAST_ABANDONED = 16;

    private final Supervisor<T> flow;
    private final Settings settings;
    private final Job<T> job;

    /** Those that were not abandoned, or in whose place no other could be started. */
    private final List<Worker<T>> present = new ArrayList<>();

    /** How many of them have not ended; each counts itself down. */
    private final AtomicInteger left = new AtomicInteger();

    /** How many of those that were abandoned have not come back; each counts itself down. */
    private final AtomicInteger away = new AtomicInteger();

    Workers(Supervisor<T> flow, Settings settings, Job<T> job) {
        this.flow = flow;
        this.settings = settings;
        this.job = job;
    }

    /** Starts them all; if that fails, those that were started are there. */
    void start() {
        for (int lane = 0; lane < settings.consumers(); lane++) {
            start(lane, null);
        }
    }

    private void start(int lane, @Nullable Worker<T> inPlaceOf) {
        Worker<T> worker = new Worker<>(flow, settings, job, lane, inPlaceOf);
        worker.thread().start();
        left.incrementAndGet();
        present.add(worker);
    }

    int left() {
        return left.get();
    }

    /**
     * Stops what is late, or to be dropped, and replaces those that do not come back.
     *
     * @param now as {@link System#nanoTime}
     * @param listenersToo whether those that tell a listener are interrupted as well
     * @return in how many nanoseconds to look again, or {@link Worker#NEVER}
     */
    long look(long now, boolean listenersToo) {
        long next = Worker.NEVER;
        for (Worker<T> worker : List.copyOf(present)) {
            next = Math.min(next, worker.look(now));
            if (worker.abandon(now)) {
                replace(worker);
            } else if (listenersToo) {
                worker.interruptListener();
            }
        }
        return next;
    }

    /** Has another worker go on where this one was, unless too many are away already. */
    private void replace(Worker<T> worker) {
        flow.abandoned(worker.thread());
        int nowAway = away.incrementAndGet();
        try {
            start(worker.lane(), worker);
            present.remove(worker);
        } catch (Throwable e) {
            flow.account().fault(e, OnStop.DROP);
        }
        left.decrementAndGet();
        if (nowAway > Math.max(settings.consumers(), LEAST_ABANDONED)) {
            String why = "too many consumers do not return: abandoned=" + nowAway + ", consumers="
                    + settings.consumers() + ". Have the work end when it is interrupted";
            flow.account().fault(new IllegalStateException(why), OnStop.DROP);
        }
    }

    /** When all have ended: waits for their threads, and returns what they did not settle. */
    List<Entry<T>> awaitAndEmptyHands() throws InterruptedException {
        List<Entry<T>> unsettled = new ArrayList<>();
        for (Worker<T> worker : present) {
            if (!worker.isAbandoned()) {
                worker.thread().join();
            }
            unsettled.addAll(worker.unsettled());
            unsettled.addAll(worker.following());
        }
        return unsettled;
    }

    // Told by workers, any thread.

    void ended() {
        left.decrementAndGet();
    }

    /** One that was abandoned has come back after all. */
    void abandonedEnded() {
        away.decrementAndGet();
    }
}
