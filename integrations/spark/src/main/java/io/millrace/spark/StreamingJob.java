// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import java.util.OptionalLong;
import java.util.UUID;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.connector.write.PhysicalWriteInfo;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.connector.write.streaming.StreamingDataWriterFactory;
import org.apache.spark.sql.connector.write.streaming.StreamingWrite;
import org.jspecify.annotations.Nullable;

/**
 * One epoch of a streaming query, on the driver: Spark creates an object for each epoch. Each epoch has a separate report,
 * with the name of the query and the number of the epoch. Spark may commit an epoch again after a restart of the query. In the
 * same driver, such a commit changes nothing. In another driver, the files of the epoch replace the earlier files.
 */
final class StreamingJob implements StreamingWrite {

    /** Spark sets this property to true for {@code Trigger.Continuous}. */
    private static final String CONTINUOUS = "__is_continuous_processing";

    private final JobPlan plan;
    private final StreamingQueries queries;

    /** Null before the tasks are prepared, and after the epoch has ended. */
    private @Nullable JobRun run;

    /** Connects to the server and checks it at the first epoch of the query. */
    StreamingJob(JobPlan plan, StreamingQueries queries) {
        this.plan = plan;
        this.queries = queries;
        if (!queries.isChecked(plan)) {
            ServerCheck.run(plan);
            queries.checked(plan);
        }
    }

    /** Refuses {@code Trigger.Continuous}: Spark would commit many epochs with the tasks of one job. */
    @Override
    public StreamingDataWriterFactory createStreamingWriterFactory(PhysicalWriteInfo info) {
        if ("true".equals(SparkContext.getOrCreate().getLocalProperty(CONTINUOUS))) {
            throw continuous();
        }
        // Spark tells the number of the epoch only at the commit.
        String temporary = plan.id() + "-" + UUID.randomUUID().toString().substring(0, 8);
        run = JobRun.begin(plan, temporary, info.numPartitions());
        return run.factory();
    }

    static SparkLoadException continuous() {
        return new SparkLoadException("Trigger.Continuous is not supported: its epochs have no account."
                + " Use Trigger.ProcessingTime or Trigger.AvailableNow.");
    }

    @Override
    public void commit(long epoch, WriterCommitMessage[] messages) {
        if (run == null) {
            return;
        }
        OptionalLong last = queries.lastCommitted(plan);
        if (last.isPresent() && epoch == last.getAsLong()) {
            run.discard();
        } else {
            boolean mayBeRepeated = last.isEmpty() || epoch != last.getAsLong() + 1;
            queries.ending(plan);
            run.commitEpoch(name(epoch), mayBeRepeated, messages);
            queries.committed(plan, epoch);
        }
        run = null;
    }

    private String name(long epoch) {
        return plan.id() + "-" + epoch;
    }

    @Override
    public void abort(long epoch, WriterCommitMessage[] messages) {
        if (run != null) {
            queries.ending(plan);
            run.abortEpoch(name(epoch), messages);
            run = null;
        }
    }

    @Override
    public String toString() {
        return plan.toString();
    }
}
