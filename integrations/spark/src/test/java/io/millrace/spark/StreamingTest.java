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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;
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

    @Test
    void queriesWithANameAreAcceptedAndTheirEpochsAreNumbered() throws Exception {
        List<JobReport> reports = new CopyOnWriteArrayList<>();
        try (AutoCloseable ignored = LoadReports.listen(reports::add)) {
            StreamingQuery query =
                    stream(lines(), "append", "row:{id}").queryName("people").start();

            query.awaitTermination();

            assertThat(reports).extracting(JobReport::name).containsExactly(query.id() + "-0", query.id() + "-1");
        }
    }

    @Test
    void triggerContinuousIsRefused() throws Exception {
        Dataset<Row> rows = TestSpark.session()
                .readStream()
                .format("rate")
                .option("numPartitions", 1)
                .load()
                .selectExpr("value AS id");
        StreamingQuery query = stream(rows, "append", "row:{id}")
                .trigger(Trigger.Continuous("1 second"))
                .start();

        assertThatThrownBy(query::awaitTermination)
                .hasStackTraceContaining("Trigger.Continuous is not supported: its epochs have no account.");
    }

    /** The messages of the partitions of {@code job}. The only row of each partition is rejected. */
    private static WriterCommitMessage[] messages(StreamingJob job, int partitions) throws IOException {
        var factory = job.createStreamingWriterFactory(() -> partitions);
        // A job of Spark, whose end the commit awaits.
        assertThat(TestSpark.session().range(1).count()).isEqualTo(1);
        WriterCommitMessage[] messages = new WriterCommitMessage[partitions];
        for (int partition = 0; partition < partitions; partition++) {
            try (DataWriter<InternalRow> writer = factory.createWriter(partition, partition + 1, 0)) {
                writer.writeAll(List.<InternalRow>of(new GenericInternalRow(new Object[] {null}))
                        .iterator());
                messages[partition] = writer.commit();
            }
        }
        return messages;
    }

    private static void commit(StreamingQueries queries, JobPlan plan, long epoch, int partitions) throws IOException {
        StreamingJob job = new StreamingJob(plan, queries);
        job.commit(epoch, messages(job, partitions));
    }

    @Test
    void repeatedCommitOfAnEpochChangesNothing() throws Exception {
        StreamingQueries driver = new StreamingQueries();
        JobPlan plan = plan();
        List<JobReport> reports = new ArrayList<>();
        try (AutoCloseable ignored = LoadReports.listen(reports::add)) {

            commit(driver, plan, 4, 1);
            commit(driver, plan, 4, 1);
            commit(driver, plan, 5, 1);

            assertThat(reports).extracting(JobReport::name).containsExactly("q-4", "q-5");
            assertThat(rejects()).containsExactly("part-00000-q-4.jsonl", "part-00000-q-5.jsonl");
        }
    }

    @Test
    void epochThatAnotherDriverRepeatsReplacesItsRejectedRows() throws Exception {
        JobPlan plan = plan();
        commit(new StreamingQueries(), plan, 3, 1);
        commit(new StreamingQueries(), plan, 4, 2);

        commit(new StreamingQueries(), plan, 4, 1);

        assertThat(rejects()).containsExactly("part-00000-q-3.jsonl", "part-00000-q-4.jsonl");
    }

    @Test
    void repeatedEpochReplacesTheRejectedRowsOfItsFailedAttempt() throws Exception {
        StreamingQueries driver = new StreamingQueries();
        JobPlan plan = plan();
        commit(driver, plan, 3, 1);
        StreamingJob failed = new StreamingJob(plan, driver);
        failed.abort(4, messages(failed, 2));
        assertThat(rejects()).containsExactly("part-00000-q-3.jsonl", "part-00000-q-4.jsonl", "part-00001-q-4.jsonl");

        commit(driver, plan, 4, 1);

        assertThat(rejects()).containsExactly("part-00000-q-3.jsonl", "part-00000-q-4.jsonl");
    }

    @Test
    void driverThatTakesOverReplacesTheRejectedRowsOfARepeatedEpoch() throws Exception {
        StreamingQueries first = new StreamingQueries();
        JobPlan plan = plan();
        commit(first, plan, 3, 1);
        commit(new StreamingQueries(), plan, 5, 2);

        commit(first, plan, 5, 1);

        assertThat(rejects()).containsExactly("part-00000-q-3.jsonl", "part-00000-q-5.jsonl");
    }

    @Test
    void reportIsKeptIfAFileWithRejectedRowsCannotBeNamed() throws Exception {
        StreamingJob job = new StreamingJob(plan(), new StreamingQueries());
        WriterCommitMessage[] messages = messages(job, 2);
        Path temporary = onlyFolder();
        Files.delete(temporary.resolve(((AttemptMessage) messages[0]).rejects()));

        assertThatThrownBy(() -> job.commit(7, messages))
                .isInstanceOf(SparkLoadException.class)
                .hasMessageContaining("some rejected rows cannot be named");

        JobReport report = LoadReports.latest().orElseThrow();
        assertThat(report.name()).isEqualTo("q-7");
        assertThat(report.completed()).isFalse();
        assertThat(report.rowsRejected()).isEqualTo(2);
        assertThat(rejects()).contains("part-00001-q-7.jsonl");
    }

    private Path onlyFolder() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("rejects"))) {
            return files.filter(Files::isDirectory).findFirst().orElseThrow();
        }
    }

    /** The names of the files with rejected rows. */
    private List<String> rejects() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("rejects"))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".jsonl") && !name.startsWith("."))
                    .sorted()
                    .toList();
        }
    }

    private JobPlan plan() {
        return JobPlan.of(
                "q",
                WriteOptions.of(Map.of(
                        "uri",
                        TestRedis.uri(),
                        "key",
                        "row:{id}",
                        "as",
                        "hash",
                        "rejects",
                        folder.resolve("rejects").toString())),
                new StructType().add("id", DataTypes.LongType));
    }
}
