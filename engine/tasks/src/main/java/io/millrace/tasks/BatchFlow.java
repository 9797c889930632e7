// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.Collections;

/**
 * A {@link Flow} whose consumers do several tasks at once.
 *
 * @param <T> a task
 */
public final class BatchFlow<T> {

    private final Flow<T> flow;
    private final Batching batching;

    BatchFlow(Flow<T> flow, Batching batching) {
        this.flow = flow;
        this.batching = batching;
    }

    /** As {@link Flow#run}. */
    public FlowReport<T> run(BatchConsumer<T> work) {
        return start(work).await();
    }

    /** As {@link Flow#start}. */
    public RunningFlow<T> start(BatchConsumer<T> work) {
        return flow.start(Job.batches(done(work)), batching);
    }

    /** As {@link Flow#results}. */
    public <R> Results<T, R> results(BatchFunction<T, R> work) {
        return flow.results(Job.batches(work), batching);
    }

    /** As {@link Flow#orderedResults}. */
    public <R> Results<T, R> orderedResults(BatchFunction<T, R> work) {
        return flow.orderedResults(Job.batches(work), batching);
    }

    private static <T> BatchFunction<T, Job.Done> done(BatchConsumer<T> work) {
        return batch -> {
            work.accept(batch);
            return Collections.nCopies(batch.tasks().size(), Job.Done.DONE);
        };
    }
}
