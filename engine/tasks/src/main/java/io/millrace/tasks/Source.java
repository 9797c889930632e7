// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * A source of tasks. Each source of a flow has its own thread. The thread asks for a batch, passes the tasks to the
 * consumers, waiting while the buffer is full, and then asks for the next batch.
 *
 * @param <T> type of a task
 */
@FunctionalInterface
public interface Source<T> extends AutoCloseable {

    /**
     * Returns the next tasks, or an empty list if there are no more. This method may block. When the flow stops early,
     * the thread is interrupted, and a waiting source must end its wait by an exception or by returning. Tasks returned
     * later than the grace period of the flow no longer belong to the flow; {@link #settled} receives each of them as
     * {@linkplain Outcome.Cancelled cancelled}.
     *
     * <p>A task must not be null. If a batch contains null, its other tasks are cancelled and the source has failed.
     *
     * @throws Exception if the source failed: the flow then fetches no more tasks from any source, executes the fetched
     *     tasks, and ends with a {@link TaskFlowException}
     */
    List<T> next() throws Exception;

    /**
     * Receives the outcome of each task of this source, once, when the outcome is known. Does nothing by default.
     * Several threads may call this method concurrently. Most of them are consumers, which continue only after this
     * method returns. The call is interrupted if it still runs one grace period after the flow was dropped.
     *
     * @throws Exception if the source cannot handle the outcome: the flow then stops with a {@link TaskFlowException}
     *     unless it was cancelled before; {@link TaskFlowReport#sourceFailures} has the exception in both cases
     */
    default void settled(Outcome<T, ?> outcome) throws Exception {}

    /**
     * Closes the source. Called once, when every task of the flow is settled, on another thread than {@link #next},
     * which may still run if it ignored its interrupt. The flow waits for this method, and interrupts it after the
     * grace period.
     *
     * @throws Exception if closing failed: the flow then ends with a {@link TaskFlowException} unless it was cancelled
     *     before; {@link TaskFlowReport#sourceFailures} has the exception in both cases
     */
    @Override
    default void close() throws Exception {}

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
     * A source of the elements of {@code tasks}, which closes the stream at its end. The JDK buffers all elements of a
     * stream that {@code flatMap} opens, so each of these streams must fit into memory.
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
