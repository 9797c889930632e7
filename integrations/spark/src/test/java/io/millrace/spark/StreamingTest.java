// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.Trigger;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StreamingTest {

    @TempDir
    Path folder;

    @BeforeEach
    void clearServer() {
        TestRedis.clear();
    }

    private Dataset<Row> lines() throws IOException {
        Path input = Files.createDirectories(folder.resolve("input"));
        Files.writeString(input.resolve("1.csv"), "1,a,yes\n2,b,yes\n");
        Files.writeString(input.resolve("2.csv"), "3,c,yes\n4,d,yes\n");
        return TestSpark.session()
                .readStream()
                .schema("id INT, name STRING, active STRING")
                .option("maxFilesPerTrigger", 1)
                .csv(input.toString());
    }

    private DataStreamWriter<Row> stream(Dataset<Row> rows, String mode, String key) {
        return rows.writeStream()
                .format("millrace")
                .outputMode(mode)
                .option("uri", TestRedis.uri())
                .option("key", key)
                .option("as", "hash")
                .option("checkpointLocation", folder.resolve("checkpoint").toString())
                .trigger(Trigger.AvailableNow());
    }

    @Test
    void eachEpochHasAReport() throws Exception {
        List<JobReport> reports = new CopyOnWriteArrayList<>();
        try (AutoCloseable ignored = LoadReports.listen(reports::add)) {

            stream(lines(), "append", "row:{id}").start().awaitTermination();

            assertThat(reports).extracting(JobReport::rowsWritten).containsExactly(2L, 2L);
            assertThat(TestRedis.size()).isEqualTo(4);
            assertThat(TestRedis.hash("row:3")).containsEntry("name", "c");
        }
    }

    @Test
    void outputModeUpdateReplacesRows() throws Exception {
        stream(lines().groupBy("active").count(), "update", "count:{active}")
                .start()
                .awaitTermination();

        assertThat(TestRedis.hash("count:yes")).containsEntry("count", "4");
    }

    @Test
    void outputModeCompleteIsRefused() {
        assertThatThrownBy(() -> stream(lines().groupBy("id").count(), "complete", "count:{id}")
                        .start()
                        .awaitTermination())
                .hasStackTraceContaining("the output mode complete would have to remove all keys at each epoch");
    }

    /** A message of each partition of {@code job}, whose rows are written. */
    private static WriterCommitMessage[] messages(StreamingJob job) throws IOException {
        var factory = job.createStreamingWriterFactory(() -> 1);
        try (DataWriter<InternalRow> writer = factory.createWriter(0, 1, 0)) {
            writer.writeAll(List.<InternalRow>of(new GenericInternalRow(new Object[] {7L}))
                    .iterator());
            return new WriterCommitMessage[] {writer.commit()};
        }
    }

    @Test
    void repeatedCommitOfAnEpochChangesNothing() throws Exception {
        var unused = TestSpark.session();
        StreamingJob job = new StreamingJob(plan());
        List<JobReport> reports = new ArrayList<>();
        try (AutoCloseable ignored = LoadReports.listen(reports::add)) {

            job.commit(4, messages(job));
            job.commit(4, messages(job));
            job.commit(3, messages(job));

            assertThat(reports).hasSize(1);
        }
    }

    @Test
    void rowsThatComeOneByOneAreTheSameLoad() throws Exception {
        AttemptFactory factory = new AttemptFactory(plan(), Optional.empty());
        try (DataWriter<InternalRow> writer = factory.createWriter(0, 1)) {
            for (long id = 0; id < 5_000; id++) {
                writer.write(new GenericInternalRow(new Object[] {id}));
            }

            AttemptMessage message = (AttemptMessage) writer.commit();

            assertThat(message.report()).contains("\"read\":5000,\"written\":5000");
            assertThat(TestRedis.size()).isEqualTo(5_000);
        }
    }

    private static JobPlan plan() {
        return JobPlan.of(
                "q",
                WriteOptions.of(Map.of("uri", TestRedis.uri(), "key", "row:{id}", "as", "hash")),
                new StructType().add("id", DataTypes.LongType));
    }
}
