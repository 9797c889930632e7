// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import java.util.UUID;
import org.apache.spark.sql.connector.write.PhysicalWriteInfo;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.connector.write.streaming.StreamingDataWriterFactory;
import org.apache.spark.sql.connector.write.streaming.StreamingWrite;
import org.jspecify.annotations.Nullable;

/**
 * The epochs of a streaming query, on the driver. Each epoch has a separate report. Spark may commit an epoch again; such
 * a commit changes nothing.
 */
final class StreamingJob implements StreamingWrite {

    private final JobPlan plan;

    /** Part of the names of the epochs, because the identifier of the query stays the same after a restart. */
    private final String started = UUID.randomUUID().toString().substring(0, 8);

    /** Number of the epochs that this object has begun. */
    private long begun;

    /** The last committed epoch. */
    private long committed = -1;

    /** Null between two epochs. */
    private @Nullable JobRun run;

    /** Connects to the server and checks it. */
    StreamingJob(JobPlan plan) {
        this.plan = plan;
        ServerCheck.run(plan);
    }

    @Override
    public StreamingDataWriterFactory createStreamingWriterFactory(PhysicalWriteInfo info) {
        run = JobRun.begin(plan, plan.id() + "-" + started + "-" + begun++, info.numPartitions());
        return run.factory();
    }

    @Override
    public void commit(long epoch, WriterCommitMessage[] messages) {
        if (run != null && epoch > committed) {
            run.commit(messages);
            committed = epoch;
        } else if (run != null) {
            run.discard();
        }
        run = null;
    }

    @Override
    public void abort(long epoch, WriterCommitMessage[] messages) {
        if (run != null) {
            run.abort(messages);
            run = null;
        }
    }

    @Override
    public String toString() {
        return plan.toString();
    }
}
