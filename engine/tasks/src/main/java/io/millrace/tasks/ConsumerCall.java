// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Calls the user's code for one task or several, and records the results. */
interface ConsumerCall<T> {

    /**
     * Calls the user's code. Does not change the entries. If the user's code returns too late, another thread may
     * already own the entries.
     *
     * @return the results, which the caller passes to {@link #record}
     */
    Object perform(List<Entry<T>> entries) throws Exception;

    /** Sets the result or the failure of each entry. */
    void record(List<Entry<T>> entries, Object performed);

    /** The result of a task that returns nothing. It is needed because a result must not be null. */
    enum Done {
        DONE
    }

    static <T> ConsumerCall<T> each(TaskFunction<? super T, ?> work) {
        return new ConsumerCall<>() {
            @Override
            public Object perform(List<Entry<T>> entries) throws Exception {
                return requireResult(work.apply(entries.getFirst().task));
            }

            @Override
            public void record(List<Entry<T>> entries, Object performed) {
                entries.getFirst().result = performed;
            }
        };
    }

    static <T> ConsumerCall<T> batches(BatchFunction<T, ?> work) {
        return new ConsumerCall<>() {
            @Override
            public Object perform(List<Entry<T>> entries) {
                Batch<T> batch =
                        new Batch<>(entries.stream().map(entry -> entry.task).toList());
                return BatchResult.of(work, batch);
            }

            @Override
            public void record(List<Entry<T>> entries, Object performed) {
                ((BatchResult) performed).record(entries);
            }
        };
    }

    private static Object requireResult(@Nullable Object result) {
        if (result == null) {
            throw noResult();
        }
        return result;
    }

    private static NullPointerException noResult() {
        return new NullPointerException(
                "a task function returned no result: result=null. Return a value for each task.");
    }

    /**
     * The result of executing a batch.
     *
     * @param batch the batch, in which the user's code may have marked tasks as failed
     * @param results results in the order of the batch; empty if the batch failed
     * @param failure exception of the batch. Each task that the user's code has not marked as failed has this exception
     *     as its failure. Null if the batch returned a result for each task
     */
    record BatchResult(
            Batch<?> batch, List<?> results, @Nullable Throwable failure) {

        static <T> BatchResult of(BatchFunction<T, ?> work, Batch<T> batch) {
            try {
                List<?> results = new ArrayList<>(work.apply(batch)); // a copy, because the list is the user's
                if (results.size() != batch.tasks().size()) {
                    throw new IllegalStateException("a batch function returned a wrong number of results: tasks="
                            + batch.tasks().size() + ", results=" + results.size()
                            + ". Return one result for each task.");
                }
                return new BatchResult(batch, results, null);
            } catch (Throwable e) {
                return new BatchResult(batch, List.of(), e);
            }
        }

        void record(List<? extends Entry<?>> entries) {
            for (int i = 0; i < entries.size(); i++) {
                Throwable marked = batch.failure(i);
                Throwable failed = marked == null ? failure : marked;
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
