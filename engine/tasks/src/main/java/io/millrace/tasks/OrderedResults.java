// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Results in the order in which their tasks were produced. The number of a task determines the slot of its result. A
 * task counts in the backlog until the reader has taken its result. The backlog admits at most as many tasks as there
 * are slots. So the slot of an admitted task is free when its result arrives, and a worker need not wait to deliver a
 * result.
 */
final class OrderedResults<T, R> implements ResultQueue<T, R> {

    private final Backlog<T> backlog;
    private final AtomicReferenceArray<@Nullable Outcome<T, ?>> slots;
    private final WaitQueue taker = new WaitQueue();

    /** Number of the next result. Accessed only by the thread that takes results. */
    private long next;

    private volatile boolean closed;

    /**
     * Creates a result sink with {@code window} slots. The backlog must admit at most {@code window} tasks whose
     * results were not taken.
     */
    OrderedResults(Backlog<T> backlog, int window) {
        this.backlog = backlog;
        this.slots = new AtomicReferenceArray<>(window);
    }

    @Override
    public void deliver(Entry<T> entry, Outcome<T, ?> outcome) {
        if (entry.number != Entry.UNNUMBERED) {
            slots.set(slot(entry.number), outcome);
            if (taker.hasWaiting()) {
                taker.wakeOne();
            }
        }
    }

    private int slot(long number) {
        return (int) (number % slots.length());
    }

    @Override
    public @Nullable Outcome<T, R> take() throws InterruptedException {
        while (true) {
            boolean ending = closed; // read first, so that results delivered before the close are found
            Outcome<T, R> outcome = poll();
            if (outcome != null || ending) {
                return outcome;
            }
            taker.await(() -> closed || slots.get(slot(next)) != null);
        }
    }

    @SuppressWarnings("unchecked") // the results were computed by this flow
    private @Nullable Outcome<T, R> poll() {
        Outcome<T, ?> delivered = slots.getAndSet(slot(next), null);
        if (delivered == null) {
            return null;
        }
        next++;
        backlog.resultTaken();
        return (Outcome<T, R>) delivered;
    }

    @Override
    public @Nullable Outcome<T, R> takeRemaining() {
        for (int i = 0; i < slots.length(); i++) {
            Outcome<T, R> outcome = poll();
            if (outcome != null) {
                return outcome;
            }
            next++;
        }
        return null;
    }

    @Override
    public void close() {
        closed = true;
        taker.wakeAll();
    }
}
