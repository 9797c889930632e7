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
 * The outcomes of a flow that is running, one by one. The flow waits when whoever takes them is behind, so it must be read to its
 * end or closed. Used by one thread at a time; {@link #counts}, {@link #cancel} and {@link #close} by any.
 *
 * @param <T> a task
 * @param <R> its result
 */
public final class Results<T, R> implements AutoCloseable {

    private final Supervisor<T> supervisor;
    private final ResultOutlet<T, R> outlet;
    private final RunningFlow<T> flow;

    Results(Supervisor<T> supervisor, ResultOutlet<T, R> outlet, RunningFlow<T> flow) {
        this.supervisor = supervisor;
        this.outlet = outlet;
        this.flow = flow;
    }

    /**
     * The next outcome; waits for it. Empty when there are no more: the flow has then come to its natural end, or was cancelled.
     * Of a flow that is dropped, outcomes can be missing here; never in its counts.
     *
     * @throws FlowException after the last, if the flow stopped for another reason
     * @throws InterruptedException if this thread is interrupted; the flow goes on
     */
    public Optional<Outcome<T, R>> next() throws InterruptedException {
        Outcome<T, R> outcome = outlet.take();
        if (outcome == null) {
            supervisor.join();
            outcome = outlet.takeLeft();
        }
        if (outcome == null) {
            var unused = supervisor.result();
        }
        return Optional.ofNullable(outcome);
    }

    /**
     * All outcomes that are left, as a stream, which closes this when it is closed. If its thread is interrupted the flow is stopped,
     * doing with its tasks as {@link Flow#onStop} says, and dropped if it is interrupted again; the stream ends with a {@link
     * FlowException}, and the interrupt flag is set again. It throws one too when {@link #next} does.
     */
    public Stream<Outcome<T, R>> stream() {
        Each elements = new Each();
        var each = Spliterators.spliteratorUnknownSize(elements, Spliterator.NONNULL | Spliterator.ORDERED);
        return StreamSupport.stream(each, false).onClose(elements::close);
    }

    /** What became of its tasks up to now. Does not block. */
    public TaskCounts counts() {
        return supervisor.account().counts();
    }

    /** Asks the flow to stop, as {@link RunningFlow#cancel()}. */
    public void cancel() {
        flow.cancel();
    }

    /**
     * The report, when all outcomes were taken.
     *
     * @throws IllegalStateException if the flow has not ended
     * @throws FlowException if it stopped for another reason than being cancelled
     */
    public FlowReport<T> report() {
        if (!supervisor.isEnded()) {
            throw new IllegalStateException(
                    "flow has not ended: " + counts() + ". Take its results to the end, or close it.");
        }
        return supervisor.result();
    }

    /** Stops the flow unless it has ended, dropping what it has, and waits for the end. */
    @Override
    public void close() {
        flow.close();
    }

    private final class Each implements Iterator<Outcome<T, R>> {

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

        /** Also when the stream is not read to its end. */
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
