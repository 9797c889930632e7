// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.PhysicalWriteInfo;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.jspecify.annotations.Nullable;

/** The job of a batch query, on the driver. */
final class BatchJob implements BatchWrite {

    private final JobPlan plan;
    private final boolean overwrite;

    /** Null before the tasks are prepared. */
    private @Nullable JobRun run;

    /**
     * Connects to the server and checks it.
     *
     * @param overwrite whether the keys of earlier jobs are removed right before the tasks
     */
    BatchJob(JobPlan plan, boolean overwrite) {
        this.plan = plan;
        this.overwrite = overwrite;
        ServerCheck.run(plan);
    }

    @Override
    public DataWriterFactory createBatchWriterFactory(PhysicalWriteInfo info) {
        JobRun begun = JobRun.begin(plan, plan.id(), info.numPartitions());
        run = begun;
        if (overwrite) {
            begun.prepare(() -> ServerCheck.removeOldKeys(plan));
        }
        return begun.factory();
    }

    @Override
    public void commit(WriterCommitMessage[] messages) {
        if (run != null) {
            run.commit(messages);
        }
    }

    @Override
    public void abort(WriterCommitMessage[] messages) {
        if (run != null) {
            run.abort(messages);
        }
    }

    @Override
    public String toString() {
        return plan.toString();
    }
}
