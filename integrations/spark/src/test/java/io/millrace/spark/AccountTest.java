// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.command.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The account of a job whose tasks fail and are repeated. */
class AccountTest {

    @TempDir
    Path folder;

    @BeforeEach
    void clearServer() {
        TestRedis.clear();
    }

    /** Rows with the columns id, k and v. Each first attempt of the odd partitions throws after half of its rows. */
    private static Dataset<Row> failingOnce(long rows, int partitions) {
        return FailingOnce.range(rows, partitions)
                .selectExpr("value AS id", "value % 100 AS k", "concat('v', value) AS v");
    }

    @Test
    void repeatedTasksAreCountedOnceInTheSums() {
        TestSpark.write(failingOnce(4_000, 4), "key", "row:{id}", "as", "hash").save();

        JobReport report = LoadReports.latest().orElseThrow();
        assertThat(TestRedis.size()).isEqualTo(4_000);
        assertThat(report.rowsWritten()).isEqualTo(4_000);
        assertThat(report.attempts()).isEqualTo(new JobReport.Attempts(4, 2, 0, 0));
    }

    @Test
    void eachRejectedRowIsInTheRejectsOnce() throws IOException {
        for (int i = 0; i < 10; i++) {
            var unused = TestRedis.client().call(Command.of("SET", "row:" + i * 400, "a string"));
        }
        Path rejects = folder.resolve("rejects");

        TestSpark.write(failingOnce(4_000, 4), "key", "row:{id}", "as", "hash", "rejects", rejects.toString())
                .save();

        JobReport report = LoadReports.latest().orElseThrow();
        assertThat(report.rowsRejected()).isEqualTo(10);
        assertThat(report.rowsWritten()).isEqualTo(3_990);
        assertThat(lines(rejects)).hasSize(10).allMatch(line -> line.contains("WRONGTYPE"));
        assertThat(rejects.toFile().list()).noneMatch(name -> name.startsWith("_"));
    }

    private static List<String> lines(Path rejects) throws IOException {
        List<String> lines = new ArrayList<>();
        try (Stream<Path> files = Files.list(rejects)) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".jsonl")).toList()) {
                lines.addAll(Files.readAllLines(file));
            }
        }
        return lines;
    }

    @Test
    void jobWithMoreRejectedRowsThanAllowedFails() {
        for (int i = 0; i < 8; i++) {
            var unused = TestRedis.client().call(Command.of("SET", "row:" + i * 500, "a string"));
        }

        // Each of the four tasks rejects two rows, which is allowed for a task.
        assertThatThrownBy(
                        () -> TestSpark.write(failingOnce(4_000, 4), "key", "row:{id}", "as", "hash", "maxErrors", "5")
                                .save())
                .hasStackTraceContaining("8 rows were rejected, which is more than the 5 allowed rejected rows");
        JobReport report = LoadReports.latest().orElseThrow();
        assertThat(report.completed()).isFalse();
        assertThat(report.attempts()).isEqualTo(new JobReport.Attempts(4, 2, 0, 0));
    }

    @Test
    void taskWithMoreRejectedRowsThanAllowedNamesItsPartition() {
        Dataset<Row> rows = TestSpark.people(100, 1).selectExpr("if(id < 50, null, id) AS id", "name");

        assertThatThrownBy(() -> TestSpark.write(rows, "key", "user:{id}", "as", "hash", "maxErrors", "5")
                        .save())
                .hasRootCauseInstanceOf(SparkLoadException.class)
                .rootCause()
                .satisfies(cause ->
                        assertThat(((SparkLoadException) cause).partition()).hasValue(0))
                .hasMessageContaining("partition 0, attempt 3 on ")
                .hasMessageContaining("6 rows were rejected, which is more than the 5 allowed rejected rows");
        assertThat(LoadReports.latest().orElseThrow().attempts()).isEqualTo(new JobReport.Attempts(0, 4, 0, 0));
    }

    @Test
    void reportIsWrittenAsJson() throws IOException {
        Path report = folder.resolve("report.json");

        TestSpark.write(TestSpark.people(10, 2), "key", "user:{id}", "as", "hash", "report", report.toString())
                .save();

        assertThat(Files.readString(report))
                .startsWith("{\"rows\":{\"read\":10,\"written\":10,\"rejected\":0,\"skipped\":0,\"unconfirmed\":0}")
                .endsWith("\"partitions\":2,\"attempts\":{\"admitted\":2,\"failed\":0,\"denied\":0,\"lost\":0}}\n");
    }

    @Test
    void overwriteKeepsTheOldKeysIfAFileCannotBeWritten() throws IOException {
        TestSpark.write(TestSpark.people(10, 1), "key", "user:{id}", "as", "hash")
                .save();
        Path file = Files.createFile(folder.resolve("file"));

        for (String[] option : new String[][] {{"rejects", file + "/below"}, {"report", "nowhere://a/report"}}) {
            assertThatThrownBy(() -> TestSpark.write(
                                    TestSpark.people(5, 1), "key", "user:{id}", "as", "hash", option[0], option[1])
                            .mode("overwrite")
                            .save())
                    .isInstanceOf(SparkLoadException.class)
                    .hasMessageContaining("option " + option[0] + ": the ");
        }
        assertThat(TestRedis.size()).isEqualTo(10);
    }

    @Test
    void missingColumnFailsBeforeTheFirstTask() {
        assertThatThrownBy(() -> TestSpark.write(TestSpark.people(10, 2), "key", "user:{nr}", "as", "hash")
                        .save())
                .isInstanceOf(SparkLoadException.class)
                .hasMessageContaining("nr");
    }

    @Test
    void serverThatDoesNotAnswerFailsBeforeTheFirstTask() {
        assertThatThrownBy(() -> TestSpark.people(10, 2)
                        .write()
                        .format("millrace")
                        .mode("append")
                        .option("uri", "redis://127.0.0.1:1")
                        .option("key", "user:{id}")
                        .option("as", "hash")
                        .save())
                .isInstanceOf(SparkLoadException.class)
                .hasMessageContaining("the driver cannot prepare the server redis://127.0.0.1:1");
    }

    @Test
    void overwriteWithoutAPrefixIsRefused() {
        assertThatThrownBy(() -> TestSpark.write(TestSpark.people(10, 2), "key", "{id}", "as", "hash")
                        .mode("overwrite")
                        .save())
                .isInstanceOf(SparkLoadException.class)
                .hasMessageContaining("this text is empty: key={id}");
    }
}
