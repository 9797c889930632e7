// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.Collections;

/**
 * A {@link TaskFlow} whose consumers execute several tasks with one call of the user's code.
 *
 * @param <T> type of a task
 */
public final class BatchTaskFlow<T> {

    private final TaskFlow<T> taskFlow;
    private final Batching batching;

    BatchTaskFlow(TaskFlow<T> taskFlow, Batching batching) {
        this.taskFlow = taskFlow;
        this.batching = batching;
    }

    /** Same as {@link TaskFlow#run}, but each consumer executes tasks in batches. */
    public TaskFlowReport<T> run(BatchConsumer<T> work) {
        return start(work).await();
    }

    /** Same as {@link TaskFlow#start}, but each consumer executes tasks in batches. */
    public RunningTaskFlow<T> start(BatchConsumer<T> work) {
        return taskFlow.start(ConsumerCall.batches(done(work)), batching);
    }

    /** Same as {@link TaskFlow#results}, but each consumer executes tasks in batches. */
    public <R> Results<T, R> results(BatchFunction<T, R> work) {
        return taskFlow.results(ConsumerCall.batches(work), batching);
    }

    /** Same as {@link TaskFlow#orderedResults}, but each consumer executes tasks in batches. */
    public <R> Results<T, R> orderedResults(BatchFunction<T, R> work) {
        return taskFlow.orderedResults(ConsumerCall.batches(work), batching);
    }

    private static <T> BatchFunction<T, ConsumerCall.Done> done(BatchConsumer<T> work) {
        return batch -> {
            work.accept(batch);
            return Collections.nCopies(batch.tasks().size(), ConsumerCall.Done.DONE);
        };
    }
}
