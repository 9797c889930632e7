// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The work of a flow, on one task or on several: calls the user's code and says afterwards what it did. */
interface Job<T> {

    /**
     * Calls the user's code. Changes no entry: if it takes too long they may be another's when it returns.
     *
     * @return what {@link #record} is to be given
     */
    Object perform(List<Entry<T>> entries) throws Exception;

    /** Notes in each entry its result or why it failed. */
    void record(List<Entry<T>> entries, Object performed);

    /** What a task without a result has as its result, because a result is never null. */
    enum Done {
        DONE
    }

    static <T> Job<T> each(TaskFunction<? super T, ?> work) {
        return new Job<>() {
            @Override
            public Object perform(List<Entry<T>> entries) throws Exception {
                return required(work.apply(entries.getFirst().task));
            }

            @Override
            public void record(List<Entry<T>> entries, Object performed) {
                entries.getFirst().result = performed;
            }
        };
    }

    static <T> Job<T> batches(BatchFunction<T, ?> work) {
        return new Job<>() {
            @Override
            public Object perform(List<Entry<T>> entries) {
                Batch<T> batch =
                        new Batch<>(entries.stream().map(entry -> entry.task).toList());
                return Performed.of(work, batch);
            }

            @Override
            public void record(List<Entry<T>> entries, Object performed) {
                ((Performed) performed).record(entries);
            }
        };
    }

    private static Object required(@Nullable Object result) {
        if (result == null) {
            throw noResult();
        }
        return result;
    }

    private static NullPointerException noResult() {
        return new NullPointerException("the work returned no result: result=null. Return a value for each task.");
    }

    /**
     * What a batch has come to.
     *
     * @param batch which knows those that failed by themselves
     * @param results in its order; empty if there are none
     * @param failure of all others
     */
    record Performed(
            Batch<?> batch, List<?> results, @Nullable Throwable failure) {

        static <T> Performed of(BatchFunction<T, ?> work, Batch<T> batch) {
            try {
                List<?> results = new ArrayList<>(work.apply(batch)); // read once, and here: it is the user's own
                if (results.size() != batch.tasks().size()) {
                    throw new IllegalStateException("a batch has other results than tasks: tasks="
                            + batch.tasks().size() + ", results=" + results.size() + ". Return one for each.");
                }
                return new Performed(batch, results, null);
            } catch (Throwable e) {
                return new Performed(batch, List.of(), e);
            }
        }

        void record(List<? extends Entry<?>> entries) {
            for (int i = 0; i < entries.size(); i++) {
                Throwable own = batch.failure(i);
                Throwable failed = own == null ? failure : own;
                if (failed != null) {
                    entries.get(i).failure = failed;
                } else if (results.get(i) == null) {
                    entries.get(i).failure = noResult();
                } else {
                    entries.get(i).result = results.get(i);
                }
            }
        }
    }
}
