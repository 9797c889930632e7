// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import io.millrace.tasks.Worker.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** The thread of one source: fetches its batches and adds their tasks to the backlog. */
final class Feed<T> implements Runnable {

    /** Says which tasks are done one after the other: those with an equal key; null if it does not matter. */
    interface KeyOf<T> {
        @Nullable
        Object apply(T task);
    }

    private enum State {
        /** In the source's code. */
        FETCHING,
        /** In ours. */
        HANDING_ON,
        /** The source did not return: what it may return is not this flow's any more. */
        ABANDONED
    }

    private final Supervisor<T> supervisor;
    private final Source<T> source;
    private final ToLongFunction<? super T> weigher;
    private final KeyOf<? super T> key;
    private final Semaphore prefetch;
    private final AtomicReference<State> state = new AtomicReference<>(State.HANDING_ON);

    /** Of this feed's thread. */
    private final Tally tally;

    private final Thread thread;

    /** Of this feed's thread. */
    private int lane;

    /**
     * A feed for {@code source}.
     *
     * @param number among the feeds, from 0
     * @param prefetch how many of its batches may have tasks that are not taken
     */
    Feed(
            Supervisor<T> supervisor,
            Source<T> source,
            ToLongFunction<? super T> weigher,
            KeyOf<? super T> key,
            int prefetch,
            int number) {
        this.supervisor = supervisor;
        this.source = source;
        this.weigher = weigher;
        this.key = key;
        this.prefetch = new Semaphore(prefetch);
        this.lane = number;
        this.tally = supervisor.account().newTally();
        this.thread = supervisor.settings().thread("source", number, this);
    }

    void start() {
        thread.start();
    }

    Thread thread() {
        return thread;
    }

    Source<T> source() {
        return source;
    }

    @Override
    public void run() {
        supervisor.own();
        try {
            while (mayFetch() && fetchAndHandOn()) {}
        } catch (InterruptedException e) {
            if (!supervisor.isStopping()) {
                supervisor.account().fault(e, OnStop.DRAIN);
            }
        } catch (Throwable e) {
            supervisor.account().fault(e, OnStop.DRAIN);
        } finally {
            if (!isAbandoned()) {
                supervisor.feedEnded();
            }
        }
    }

    private boolean mayFetch() {
        if (prefetch.tryAcquire()) {
            return !supervisor.isStopping();
        }
        supervisor.backlog().sourceWaits();
        try {
            return awaitBatchTaken();
        } finally {
            supervisor.backlog().sourceGoesOn();
        }
    }

    private boolean awaitBatchTaken() {
        while (!supervisor.isStopping()) {
            try {
                prefetch.acquire();
                return !supervisor.isStopping();
            } catch (InterruptedException e) {
                // If the flow is to stop it is seen above; whatever else the source meant by it is over.
            }
        }
        return false;
    }

    /** Whether there may be more. */
    private boolean fetchAndHandOn() throws Exception {
        state.set(State.FETCHING);
        var unused = Thread.interrupted(); // a listener's, that was told on this thread
        List<T> batch;
        try {
            batch = supervisor.isStopping()
                    ? List.of()
                    : new ArrayList<>(source.next()); // read once: it is the source's own
        } catch (Throwable e) {
            if (hasReturnedInTime()) {
                throw e;
            }
            return false;
        }
        if (!hasReturnedInTime()) {
            disown(batch);
            return false;
        }
        if (batch.isEmpty()) {
            return false;
        }
        handOn(batch);
        return true;
    }

    private boolean hasReturnedInTime() {
        return state.compareAndSet(State.FETCHING, State.HANDING_ON);
    }

    /** The flow has ended, or will without these: the source at least is told that they were not done. */
    private void disown(List<T> late) throws Exception {
        for (T task : late) {
            source.settled(new Outcome.Cancelled<>(task, 0));
        }
    }

    /** Adds a batch to the backlog; of one with a null in it all others are cancelled. */
    private void handOn(List<T> batch) {
        int returned = batch.size();
        boolean hasNull = batch.removeIf(Objects::isNull);
        tally.add(Tally.What.PRODUCED, batch.size());
        int added = hasNull ? 0 : supervisor.backlog().add(entries(batch), lane);
        lane += added;
        cancel(batch.subList(added, batch.size()));
        if (hasNull) {
            throw new NullPointerException("a source returned a task that is null, among " + returned);
        }
    }

    private List<Entry<T>> entries(List<T> batch) {
        List<Entry<T>> entries = new ArrayList<>(batch.size());
        for (T task : batch) {
            entries.add(entry(task, entries.size() == batch.size() - 1));
        }
        return entries;
    }

    private Entry<T> entry(T task, boolean last) {
        try {
            long weight = weigher.applyAsLong(task);
            Entry<T> entry = new Entry<>(task, this, Math.max(0, weight), last);
            if (weight < 0) {
                entry.failure = new IllegalArgumentException("a task weighs less than nothing: weight=" + weight);
            }
            entry.key = key.apply(task);
            return entry;
        } catch (Throwable e) {
            Entry<T> entry = new Entry<>(task, this, 0, last);
            entry.failure = e;
            return entry;
        }
    }

    /** Settles tasks that the flow does not take any more. */
    private void cancel(List<T> tasks) {
        for (T task : tasks) {
            supervisor.account().settle(new Entry<>(task, this, 0, false), Verdict.CANCELLED, tally);
        }
    }

    /** The last task of a batch was taken: there is room for another. */
    void batchTaken() {
        prefetch.release();
    }

    /** Ends a wait of the source. */
    void interrupt() {
        thread.interrupt();
    }

    boolean isAbandoned() {
        return state.get() == State.ABANDONED;
    }

    /** Gives up on a source that does not return although it was interrupted; false if it has returned. */
    boolean abandon() {
        return state.compareAndSet(State.FETCHING, State.ABANDONED);
    }
}
