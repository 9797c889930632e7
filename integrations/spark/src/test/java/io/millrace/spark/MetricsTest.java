// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;

class MetricsTest {

    @Test
    void taskHasAValueForEachMetricOfTheJob() throws Exception {
        TestRedis.clear();
        JobPlan plan = JobPlan.of(
                "q",
                WriteOptions.of(Map.of("uri", TestRedis.uri(), "key", "row:{id}", "as", "hash")),
                new StructType().add("id", DataTypes.LongType));
        try (DataWriter<InternalRow> writer = new AttemptFactory(plan, Optional.empty()).createWriter(0, 1)) {
            writer.writeAll(List.<InternalRow>of(
                            new GenericInternalRow(new Object[] {7L}), new GenericInternalRow(new Object[] {null}))
                    .iterator());

            assertThat(writer.currentMetricsValues())
                    .extracting(CustomTaskMetric::value)
                    .startsWith(2L, 1L, 1L);
            assertThat(writer.currentMetricsValues())
                    .extracting(CustomTaskMetric::name)
                    .containsExactlyElementsOf(List.of(new JobWrite(plan, false).supportedCustomMetrics()).stream()
                            .map(CustomMetric::name)
                            .toList());
        }
    }

    /** Spark creates a metric by the name of its class, and adds up the values of the tasks. */
    @Test
    void sparkCanCreateEachMetric() throws ReflectiveOperationException {
        for (CustomMetric metric :
                List.of(new RowsRead(), new RowsWritten(), new RowsRejected(), new Redirects(), new BytesSent())) {
            CustomMetric created = Class.forName(metric.getClass().getCanonicalName())
                    .asSubclass(CustomMetric.class)
                    .getConstructor()
                    .newInstance();

            assertThat(created.name()).isEqualTo(metric.name());
            assertThat(created.aggregateTaskMetrics(new long[] {1, 2})).isEqualTo("3");
        }
    }
}
