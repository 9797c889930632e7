// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.time.Duration;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A source of tasks. Each source of a flow has its own thread. This thread fetches a batch from the source, adds the
 * tasks of the batch to the buffer, and then fetches the next batch. The thread waits while the buffer is full.
 *
 * @param <T> type of a task
 */
@FunctionalInterface
public interface Source<T> extends AutoCloseable {

    /**
     * Returns the next tasks, or an empty list if there are no more. This method may block. When the flow stops early,
     * it interrupts the thread that executes this method. The method must then return, or throw an exception, within
     * the grace period of the flow. Tasks that the method returns later do not belong to the flow: the source receives
     * each of them as {@linkplain Outcome.Cancelled cancelled} in {@link #settled}.
     *
     * <p>A task must not be null. If a batch contains null, its other tasks are cancelled and the source has failed.
     *
     * <p>If the source fails, the flow fetches no more tasks from any source. It executes the tasks that were already
     * fetched, and then ends with a {@link TaskFlowException}.
     *
     * @throws Exception if the source failed
     */
    List<T> next() throws Exception;

    /**
     * Called once for each task of this source, when the outcome of the task is known. Does nothing by default. Several
     * threads may call this method concurrently. Usually a consumer calls this method, and takes its next task only
     * after this method has returned. One grace period after the flow was dropped, or has begun to end, the flow
     * interrupts every call that still runs, and every call that starts later. A source that was abandoned receives no
     * interrupt.
     *
     * <p>If this method throws an exception, {@link TaskFlowReport#sourceFailures} contains the exception. The flow
     * then stops with a {@link TaskFlowException}, unless it was already cancelled. An exception for a task that
     * {@link #next} returned too late is logged as a warning to {@code io.millrace.tasks}.
     *
     * @throws Exception if the source cannot handle the outcome
     */
    default void settled(Outcome<T, ?> outcome) throws Exception {}

    /**
     * Closes the source. Called once, when every task of the flow is settled, by another thread than {@link #next}. A
     * call of {@code next} may still run if it ignored its interrupt. The flow waits until this method returns. If that
     * takes longer than the grace period, the flow interrupts the thread of this method.
     *
     * <p>If this method throws an exception, {@link TaskFlowReport#sourceFailures} contains the exception. The flow
     * then ends with a {@link TaskFlowException}, unless it was already cancelled.
     *
     * @throws Exception if the source cannot be closed
     */
    @Override
    default void close() throws Exception {}

    /**
     * A source that has tasks again and again, such as the stale rows of a table. If {@code polled} returns no tasks, the
     * source waits for {@code interval} and asks again. So an empty batch does not end the flow: the flow ends when it is
     * cancelled, also while the source waits. The outcomes of the tasks, and the close, go to {@code polled}.
     *
     * <p>{@code polled} should not return a task again that is not settled yet.
     *
     * <p>The flow survives a failure of {@code polled}: if its {@link #next} throws an exception, the source waits and asks
     * again. The first wait is {@code interval}. Each further failure in a row doubles the wait, up to 10 s or {@code
     * interval}, whichever is longer. If {@link #settled} throws an exception, the outcome is lost for {@code polled}, and the
     * flow continues. So a flow survives a database that is away. The exceptions are logged as warnings to {@code
     * io.millrace.tasks}: for each of the two methods the first at once, and then at most one in a minute. To end the flow
     * after a failure that no further attempt repairs, use {@link #polling(Duration, Source, Predicate)}. An {@link Error}, a
     * null batch and a null task end the flow in any case.
     *
     * @param interval wait after an empty batch, 1 ms to 24 h
     */
    static <T> Source<T> polling(Duration interval, Source<T> polled) {
        return polling(interval, polled, failure -> true);
    }

    /**
     * A source that has tasks again and again, as {@link #polling(Duration, Source)}, but survives only some failures, for
     * example {@code SQLException.class::isInstance}. Any other exception of {@code polled} is a failure of the source, which
     * ends the flow.
     *
     * @param interval wait after an empty batch, 1 ms to 24 h
     * @param survived returns whether the flow continues after this exception. Several threads may call this predicate
     *     concurrently. It is not called for an interrupt
     */
    static <T> Source<T> polling(Duration interval, Source<T> polled, Predicate<? super Exception> survived) {
        return new PollingSource<>(interval, polled, survived, ClockAndRandom.SYSTEM.clock());
    }

    /** A source that passes on each element as soon as the iterator returns it. One thread uses the iterator. */
    static <T> Source<T> of(Iterator<? extends T> tasks) {
        return () -> tasks.hasNext() ? List.of(tasks.next()) : List.of();
    }

    /** A source of the elements of {@code tasks}, in batches of up to 256. No element may be null. */
    static <T> Source<T> of(Collection<? extends T> tasks) {
        List<T> all = List.copyOf(tasks);
        AtomicInteger taken = new AtomicInteger();
        return () -> {
            int from = taken.get();
            return all.subList(from, taken.updateAndGet(before -> Math.min(before + 256, all.size())));
        };
    }

    /**
     * A source of the elements of a stream. {@link #close} closes the stream. If the stream was made by {@code
     * flatMap}, the JDK buffers all elements of each inner stream, so each inner stream must fit into memory.
     */
    static <T> Source<T> of(Stream<? extends T> tasks) {
        Source<T> elements = of(tasks.iterator());
        return new Source<>() {
            @Override
            public List<T> next() throws Exception {
                return elements.next();
            }

            @Override
            public void close() {
                tasks.close();
            }
        };
    }
}
