// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import java.util.Optional;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.streaming.StreamingDataWriterFactory;
import org.jspecify.annotations.Nullable;

/** Creates the writers of the attempts, on the executors. */
final class AttemptFactory implements DataWriterFactory, StreamingDataWriterFactory {

    private static final long serialVersionUID = 1L;

    private final JobPlan plan;

    /** Null if the job keeps no rejected rows. */
    private final @Nullable RejectFiles rejects;

    AttemptFactory(JobPlan plan, Optional<RejectFiles> rejects) {
        this.plan = plan;
        this.rejects = rejects.orElse(null);
    }

    JobPlan plan() {
        return plan;
    }

    Optional<RejectFiles> rejects() {
        return Optional.ofNullable(rejects);
    }

    @Override
    public DataWriter<InternalRow> createWriter(int partition, long task) {
        return new AttemptWriter(this, AttemptId.current(partition, task));
    }

    @Override
    public DataWriter<InternalRow> createWriter(int partition, long task, long epoch) {
        return createWriter(partition, task);
    }

    @Override
    public String toString() {
        return plan.toString();
    }
}
