// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;

/** Rows whose tasks fail once. */
final class FailingOnce {

    private FailingOnce() {}

    /** The numbers from 0. The first attempt of each odd partition throws after half of its rows. */
    static Dataset<Long> range(long rows, int partitions) {
        long perPartition = rows / partitions;
        return TestSpark.session()
                .range(0, rows, 1, partitions)
                .map((MapFunction<Long, Long>) id -> fail(id, perPartition), Encoders.LONG());
    }

    private static Long fail(Long id, long perPartition) {
        TaskContext task = TaskContext.get();
        if (task.partitionId() % 2 == 1 && task.attemptNumber() == 0 && id % perPartition == perPartition / 2) {
            throw new IllegalStateException("thrown half-way");
        }
        return id;
    }
}
