// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * A producer of tasks. Each source of a flow has a thread of its own, which asks for a batch, hands it to the consumers, waiting
 * while the buffer is full, and asks for the next.
 *
 * @param <T> a task
 */
@FunctionalInterface
public interface Source<T> extends AutoCloseable {

    /**
     * The next tasks; an empty list says that there will be no more. May take as long as it likes. When the flow is to end before
     * its sources do, the thread is interrupted: a source that waits has to end its wait then, by an exception or by returning. What
     * it returns later than the flow's grace after that is no task of the flow any more; the source is only told that each was
     * {@linkplain Outcome.Cancelled cancelled}.
     *
     * <p>No task is null: of a batch with a null in it the others are cancelled, and the source has failed.
     *
     * @throws Exception if tasks cannot be had: the flow then fetches no more, from any source, does what it has, and ends with a
     *     {@link FlowException}
     */
    List<T> next() throws Exception;

    /**
     * What became of a task of this source; told once for each, as soon as it is known. By default nothing is done. Called by several
     * threads at once, mostly by consumers, which go on only after it; interrupted when the flow has been dropped for as long as
     * its grace.
     *
     * @throws Exception if the source cannot take note: the flow then stops, with a {@link FlowException} unless it was cancelled
     *     before; {@link FlowReport#sourceFailures} has it in any case
     */
    default void settled(Outcome<T, ?> outcome) throws Exception {}

    /**
     * Called once, when every task of the flow is settled; on another thread than {@link #next}, which may still run if it did not
     * end when it was interrupted. The flow waits for it, and interrupts it after its grace.
     *
     * @throws Exception if something is not done that should be: the flow then ends with a {@link FlowException} unless it was
     *     cancelled before; {@link FlowReport#sourceFailures} has it in any case
     */
    @Override
    default void close() throws Exception {}

    /** The elements of {@code tasks}, each handed on as soon as it is there. The iterator is used by one thread. */
    static <T> Source<T> of(Iterator<? extends T> tasks) {
        return () -> tasks.hasNext() ? List.of(tasks.next()) : List.of();
    }

    /** The elements of {@code tasks}, which are there already and none of them null, in batches of up to 256. */
    static <T> Source<T> of(Collection<? extends T> tasks) {
        List<T> all = List.copyOf(tasks);
        AtomicInteger taken = new AtomicInteger();
        return () -> {
            int from = taken.get();
            return all.subList(from, taken.updateAndGet(before -> Math.min(before + 256, all.size())));
        };
    }

    /**
     * The elements of {@code tasks}; the stream is closed with the source. What a {@code flatMap} in it opens, the stream buffers
     * whole, so each of those has to fit into memory.
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
