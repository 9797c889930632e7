// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The thread of one source: fetches batches and adds their tasks to the backlog. */
final class Producer<T> implements Runnable {

    private static final System.Logger LOG = System.getLogger("io.millrace.tasks");

    /**
     * Computes the key of a task. Tasks with equal keys run one at a time. A task whose key is null runs independently
     * of all other tasks.
     */
    interface KeyFunction<T> {
        @Nullable
        Object apply(T task);
    }

    private enum State {
        /** The thread waits until a consumer has taken an earlier batch. */
        WAITING,
        /** The thread executes code of the source. */
        FETCHING,
        /** The supervisor interrupts the thread, and sets the previous state again. */
        INTERRUPTING,
        /** The thread executes code of the flow, which calls the source and the listener with outcomes. */
        ADDING,
        /** The source did not return in time. Tasks that the source returns later do not belong to the flow. */
        ABANDONED
    }

    private final Supervisor<T> supervisor;
    private final Source<T> source;
    private final KeyFunction<? super T> key;
    private final Semaphore prefetch;

    /**
     * The supervisor alone sets INTERRUPTING, the previous state after it, and ABANDONED. The thread of this producer
     * sets the other states; it changes FETCHING only by a compare-and-set.
     */
    private final AtomicReference<State> state = new AtomicReference<>(State.ADDING);

    /** Whether the supervisor has interrupted a call of the source. Accessed by the supervisor only. */
    private boolean fetchInterrupted;

    /** Accessed by this producer's thread only. */
    private final Counters counters;

    private final Thread thread;

    /** Accessed by this producer's thread only. */
    private int lane;

    /**
     * Creates the producer of {@code source}.
     *
     * @param number index of the producer in the flow, from 0
     * @param prefetch maximum number of fetched batches whose last task was not yet taken by a consumer
     */
    Producer(Supervisor<T> supervisor, Source<T> source, KeyFunction<? super T> key, int prefetch, int number) {
        this.supervisor = supervisor;
        this.source = source;
        this.key = key;
        this.prefetch = new Semaphore(prefetch);
        this.lane = number;
        this.counters = supervisor.stats().newCounters();
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
        supervisor.markOwnThread();
        try {
            while (mayFetch() && fetchAndAdd()) {}
        } catch (InterruptedException e) {
            if (!supervisor.isStopping()) {
                supervisor.stats().sourceFailed(e, OnStop.DRAIN);
            }
        } catch (Throwable e) {
            supervisor.stats().sourceFailed(e, OnStop.DRAIN);
        } finally {
            if (!isAbandoned()) {
                supervisor.producerEnded();
            }
        }
    }

    private boolean mayFetch() {
        if (prefetch.tryAcquire()) {
            return !supervisor.isStopping();
        }
        supervisor.backlog().sourceStartsWaiting();
        state.set(State.WAITING);
        try {
            return awaitBatchTaken();
        } finally {
            supervisor.backlog().sourceStopsWaiting();
        }
    }

    private boolean awaitBatchTaken() {
        while (!supervisor.isStopping()) {
            try {
                prefetch.acquire();
                return !supervisor.isStopping();
            } catch (InterruptedException e) {
                // The loop ends if the flow stops. Any other interrupt is ignored.
            }
        }
        return false;
    }

    /** Returns whether the source may have more tasks. */
    private boolean fetchAndAdd() throws Exception {
        beginFetching();
        List<T> batch;
        try {
            batch = supervisor.isStopping()
                    ? List.of()
                    : new ArrayList<>(source.next()); // a copy, because the source may change its list
        } catch (Throwable e) {
            if (hasReturnedInTime()) {
                throw e;
            }
            return false;
        }
        if (!hasReturnedInTime()) {
            cancelLate(batch);
            return false;
        }
        if (batch.isEmpty()) {
            return false;
        }
        addToBacklog(batch);
        return true;
    }

    @SuppressWarnings("ThreadPriorityCheck") // the supervisor leaves INTERRUPTING within a few instructions
    private void beginFetching() {
        State before = state.get();
        while (before == State.INTERRUPTING || !state.compareAndSet(before, State.FETCHING)) {
            Thread.yield();
            before = state.get();
        }
        clearInterrupt();
    }

    /** Ends the call of the source. Returns false if the source was abandoned before. */
    @SuppressWarnings("ThreadPriorityCheck") // the supervisor leaves INTERRUPTING within a few instructions
    private boolean hasReturnedInTime() {
        while (!state.compareAndSet(State.FETCHING, State.ADDING)) {
            if (isAbandoned()) {
                return false;
            }
            Thread.yield();
        }
        clearInterrupt();
        return true;
    }

    /** Clears an interrupt of the supervisor or a listener, so that the next call of user code does not receive it. */
    private static void clearInterrupt() {
        var unused = Thread.interrupted();
    }

    /**
     * Cancels tasks that the source returned too late. Only the source is notified, because the flow does not count
     * these tasks.
     */
    private void cancelLate(List<T> late) {
        late.removeIf(Objects::isNull);
        for (T task : late) {
            clearInterrupt();
            try {
                source.settled(new Outcome.Cancelled<>(task, 0));
            } catch (Throwable e) {
                // The report of the flow may exist already, so it cannot contain the exception.
                LOG.log(Level.WARNING, "a source failed to handle the outcome of a task that it returned too late", e);
            }
        }
    }

    /** Adds a batch to the backlog. If the batch contains null, all other tasks of the batch are cancelled. */
    private void addToBacklog(List<T> batch) {
        int returned = batch.size();
        boolean hasNull = batch.removeIf(Objects::isNull);
        counters.add(Counters.Counter.PRODUCED, batch.size());
        int added = hasNull ? 0 : supervisor.backlog().add(entries(batch), lane);
        lane += added;
        cancel(batch.subList(added, batch.size()));
        if (hasNull) {
            throw new NullPointerException(
                    "a source returned a batch with a null task: tasks=" + returned + ". A task must not be null.");
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
        Entry<T> entry = new Entry<>(task, this, last);
        try {
            entry.key = key.apply(task);
        } catch (Throwable e) {
            entry.failure = e;
        }
        return entry;
    }

    /** Cancels the tasks of a batch that were not added to the backlog. */
    private void cancel(List<T> tasks) {
        for (T task : tasks) {
            supervisor.stats().settle(new Entry<>(task, this, false), StopReason.CANCELLED, counters);
        }
    }

    /** Called when a consumer has taken the last task of a batch. The source may then fetch another batch. */
    void batchTaken() {
        prefetch.release();
    }

    // Called by the supervisor.

    /**
     * Interrupts the thread if it waits, or executes code of the source that fetches tasks. An interrupt does not reach
     * the calls that report outcomes.
     */
    void interruptSource() {
        for (State interruptible : List.of(State.WAITING, State.FETCHING)) {
            if (state.compareAndSet(interruptible, State.INTERRUPTING)) {
                fetchInterrupted = interruptible == State.FETCHING;
                try {
                    thread.interrupt();
                } finally {
                    state.set(interruptible); // even after an exception: the producer waits for this state
                }
                return;
            }
        }
    }

    /** Interrupts the thread, whatever code it executes. An abandoned thread gets no second interrupt. */
    void interrupt() {
        if (!isAbandoned()) {
            thread.interrupt();
        }
    }

    boolean isAbandoned() {
        return state.get() == State.ABANDONED;
    }

    /**
     * Abandons the source if the thread still executes code of the source after the interrupt. Returns whether the
     * source is now abandoned. A source that was not interrupted is not abandoned: its thread has not called it since
     * the flow stopped.
     */
    boolean abandon() {
        return fetchInterrupted && state.compareAndSet(State.FETCHING, State.ABANDONED);
    }
}
