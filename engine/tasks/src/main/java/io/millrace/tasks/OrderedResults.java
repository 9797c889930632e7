// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Results in the order in which their tasks were produced. Each has a slot by its number; the backlog lets in no task whose number
 * is further ahead of the next result than there are slots, so nobody ever waits to deliver.
 */
final class OrderedResults<T, R> implements ResultOutlet<T, R> {

    private final Backlog<T> backlog;
    private final AtomicReferenceArray<@Nullable Outcome<T, ?>> slots;
    private final Parking taker = new Parking();

    /** Of whoever takes. */
    private long next;

    private volatile boolean closed;

    /** An outlet for a backlog that lets in so many tasks whose results were not taken. */
    OrderedResults(Backlog<T> backlog, int window) {
        this.backlog = backlog;
        this.slots = new AtomicReferenceArray<>(window);
    }

    @Override
    public void deliver(Entry<T> entry, Outcome<T, ?> outcome) {
        if (entry.number != Entry.WITHOUT) {
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
            boolean ending = closed; // asked first: what was delivered before is found
            Outcome<T, R> outcome = poll();
            if (outcome != null || ending) {
                return outcome;
            }
            taker.await(() -> closed || slots.get(slot(next)) != null);
        }
    }

    @SuppressWarnings("unchecked") // the results are of this flow's work
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
    public @Nullable Outcome<T, R> takeLeft() {
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
