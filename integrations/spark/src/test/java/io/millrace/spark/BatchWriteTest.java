// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Sets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.util.TaskCompletionListener;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BatchWriteTest {

    @BeforeEach
    void clearServer() {
        TestRedis.clear();
    }

    @Test
    void eachRowBecomesAHashAndTheReportCountsTheRows() {
        TestSpark.write(TestSpark.people(10_000, 4), "key", "user:{id}", "as", "hash")
                .save();

        assertThat(TestRedis.size()).isEqualTo(10_000);
        assertThat(TestRedis.hash("user:7"))
                .isEqualTo(Map.of("id", "7", "name", "name 7", "city", "city 7", "score", "1.75", "active", "false"));
        JobReport report = LoadReports.latest().orElseThrow();
        assertThat(report.completed()).isTrue();
        assertThat(report.rowsRead()).isEqualTo(10_000);
        assertThat(report.rowsWritten()).isEqualTo(10_000);
        assertThat(report.attempts()).isEqualTo(new JobReport.Attempts(4, 0, 0, 0));
        assertThat(report.target()).isEqualTo(TestRedis.uri() + " hash user:{id}");
        assertThat(report.json()).contains("\"written\":10000", "\"partitions\":4", "\"attempts\":{\"admitted\":4");
    }

    @Test
    void optionsOfTheTargetHaveTheNamesOfTheCommandLine() {
        TestSpark.write(
                        TestSpark.people(10, 2),
                        "KEY",
                        "user:{id}",
                        "as",
                        "json",
                        "exclude",
                        "city, score",
                        "ttl",
                        "1h",
                        "ttlJitter",
                        "10%")
                .save();

        assertThat(TestRedis.string("user:3")).isEqualTo("{\"id\":3,\"name\":\"name 3\",\"active\":false}");
    }

    @Test
    void emptyPartitionsAreInTheAccount() {
        TestSpark.write(TestSpark.people(1, 8), "key", "user:{id}", "as", "hash")
                .save();

        assertThat(TestRedis.size()).isEqualTo(1);
        assertThat(LoadReports.latest().orElseThrow().attempts().admitted()).isEqualTo(8);
    }

    @Test
    void queryWithoutRowsHasAReport() {
        TestSpark.write(TestSpark.people(10, 2).filter("id < 0"), "key", "user:{id}", "as", "hash")
                .save();

        assertThat(LoadReports.latest().orElseThrow().rowsRead()).isZero();
    }

    @Test
    void rowsOfOneKeyAreOrderedWithinTheirPartition() {
        var rows = TestSpark.session()
                .range(0, 10_000, 1, 8)
                .selectExpr("id % 10 AS k", "(id * 7919) % 10000 AS version", "id");

        TestSpark.write(
                        rows,
                        "key",
                        "latest:{k}",
                        "as",
                        "string",
                        "value",
                        "version",
                        "distribute",
                        "key",
                        "orderBy",
                        "version")
                .save();

        for (int k = 0; k < 10; k++) {
            var largest = rows.filter("k = " + k)
                    .agg(Map.of("version", "max"))
                    .first()
                    .getLong(0);
            assertThat(TestRedis.string("latest:" + k)).isEqualTo(String.valueOf(largest));
        }
    }

    @Test
    void overwriteRemovesTheKeysWithThePrefixOnly() {
        TestSpark.write(TestSpark.people(50, 2), "key", "a*:{id}", "as", "hash").save();
        TestSpark.write(TestSpark.people(50, 2), "key", "ab:{id}", "as", "hash").save();

        TestSpark.write(TestSpark.people(10, 2), "key", "a*:{id}", "as", "hash")
                .mode("overwrite")
                .save();

        assertThat(TestRedis.size()).isEqualTo(60);
        assertThat(TestRedis.hash("a*:49")).isEmpty();
    }

    @Test
    void overwriteOfAKeyWithoutColumnsRemovesOnlyThisKey() {
        TestSpark.write(TestSpark.people(5, 1), "key", "active", "as", "set", "value", "id")
                .save();
        TestSpark.write(TestSpark.people(5, 1), "key", "active-sessions:{id}", "as", "hash")
                .save();

        TestSpark.write(TestSpark.people(1, 1), "key", "active", "as", "set", "value", "id")
                .mode("overwrite")
                .save();

        assertThat(TestRedis.size()).isEqualTo(6);
        assertThat(TestRedis.client().call(Sets.size("active"))).isEqualTo(1);
    }

    /** Counted down at the end of the task of the cancelled job. The tasks run in the JVM of the test. */
    private static final CountDownLatch TASK_ENDED = new CountDownLatch(1);

    private static Long noteEndOfTask(Long id) {
        if (id == 0) {
            var unused = TaskContext.get()
                    .addTaskCompletionListener((TaskCompletionListener) context -> TASK_ENDED.countDown());
        }
        return id;
    }

    @Test
    void cancelledJobEndsItsTasks() throws Exception {
        SparkContext spark = TestSpark.session().sparkContext();
        Dataset<Row> slow = TestSpark.session()
                .range(0, 1_000, 1, 1)
                .map((MapFunction<Long, Long>) BatchWriteTest::noteEndOfTask, Encoders.LONG())
                .selectExpr("value AS id");
        CompletableFuture<String> ended = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            spark.setJobGroup("cancelled", "a slow job", false);
            try {
                TestSpark.write(slow, "key", "user:{id}", "as", "hash", "rate", "5")
                        .save();
                ended.complete("completed");
            } catch (Exception failed) {
                ended.complete(String.valueOf(failed));
            }
        });
        await(() -> TestRedis.size() > 0);

        spark.cancelJobGroup("cancelled");

        assertThat(ended.get(20, TimeUnit.SECONDS)).contains("cancelled");
        assertThat(TASK_ENDED.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(TestRedis.size()).isLessThan(500);
    }

    private static void await(BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
            LockSupport.parkNanos(10_000_000);
        }
    }

    @Test
    void sampledRowsAreReadBack() {
        TestSpark.write(TestSpark.people(5_000, 2), "key", "user:{id}", "as", "hash", "verify", "sample:50%")
                .save();

        assertThat(LoadReports.latest().orElseThrow().json())
                .containsPattern("\"verified\":\\{\"checked\":2[0-9]{3},\"mismatched\":0}");
    }
}
