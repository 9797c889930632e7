// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * The outcomes of a running flow, one by one. If the reader is slower than the consumers, the flow waits for the
 * reader. So the reader must read the results to their end, or close them. Used by one thread at a time; only {@link
 * #counts}, {@link #cancel} and {@link #close} are thread-safe.
 *
 * @param <T> type of a task
 * @param <R> type of its result
 */
public final class Results<T, R> implements AutoCloseable {

    private final Supervisor<T> supervisor;
    private final ResultQueue<T, R> resultQueue;
    private final RunningTaskFlow<T> flow;

    Results(Supervisor<T> supervisor, ResultQueue<T, R> resultQueue, RunningTaskFlow<T> flow) {
        this.supervisor = supervisor;
        this.resultQueue = resultQueue;
        this.flow = flow;
    }

    /**
     * Waits for the next outcome and returns it. The method returns an empty result after the last outcome, if the flow
     * completed or was cancelled. If the flow was dropped, this method may leave out some outcomes, but {@link #counts}
     * counts all outcomes.
     *
     * @throws TaskFlowException after the last outcome, if the flow stopped for another reason
     * @throws InterruptedException if this thread is interrupted; the flow continues
     */
    public Optional<Outcome<T, R>> next() throws InterruptedException {
        Outcome<T, R> outcome = resultQueue.take();
        if (outcome == null) {
            supervisor.join();
            outcome = resultQueue.takeRemaining();
        }
        if (outcome == null) {
            var unused = supervisor.result();
        }
        return Optional.ofNullable(outcome);
    }

    /**
     * Returns the remaining outcomes as a stream. Closing the stream closes these results. If the reading thread is
     * interrupted, the flow stops as set by {@link TaskFlow#onStop}. A second interrupt drops the flow. After an
     * interrupt the stream ends with a {@link TaskFlowException}, and the interrupt flag is set again. The stream also
     * throws the {@link TaskFlowException} of {@link #next}.
     */
    public Stream<Outcome<T, R>> stream() {
        OutcomeIterator elements = new OutcomeIterator();
        var each = Spliterators.spliteratorUnknownSize(elements, Spliterator.NONNULL | Spliterator.ORDERED);
        return StreamSupport.stream(each, false).onClose(elements::close);
    }

    /** The current counts of outcomes. Does not block. */
    public TaskCounts counts() {
        return supervisor.stats().counts();
    }

    /** Requests a stop, like {@link RunningTaskFlow#cancel()}. */
    public void cancel() {
        flow.cancel();
    }

    /**
     * Returns the report after all outcomes were taken.
     *
     * @throws IllegalStateException if the flow has not ended
     * @throws TaskFlowException if the flow neither completed nor was cancelled
     */
    public TaskFlowReport<T> report() {
        if (!supervisor.isEnded()) {
            throw new IllegalStateException(
                    "the flow has not ended: " + counts() + ". Read all results, or close the results.");
        }
        return supervisor.result();
    }

    /** Drops the flow unless it has ended, and waits for its end. */
    @Override
    public void close() {
        flow.close();
    }

    private final class OutcomeIterator implements Iterator<Outcome<T, R>> {

        private @Nullable Outcome<T, R> next;
        private boolean interrupted;

        @Override
        public boolean hasNext() {
            if (next == null) {
                next = await();
            }
            return next != null;
        }

        @Override
        public Outcome<T, R> next() {
            if (!hasNext() || next == null) {
                throw new NoSuchElementException("there are no more results");
            }
            Outcome<T, R> outcome = next;
            next = null;
            return outcome;
        }

        private @Nullable Outcome<T, R> await() {
            boolean more = false;
            try {
                Outcome<T, R> outcome = take();
                more = outcome != null;
                return outcome;
            } finally {
                if (!more) {
                    restoreInterrupt();
                }
            }
        }

        private @Nullable Outcome<T, R> take() {
            while (true) {
                try {
                    return Results.this.next().orElse(null);
                } catch (InterruptedException e) {
                    supervisor.stop(Ending.INTERRUPTED, null, interrupted ? OnStop.DROP : flow.onStop());
                    interrupted = true;
                }
            }
        }

        /** Called even if the stream is not read to its end. */
        void close() {
            Results.this.close();
            restoreInterrupt();
        }

        private void restoreInterrupt() {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
