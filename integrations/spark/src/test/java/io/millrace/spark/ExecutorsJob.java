// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Strings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * A driver with two executors, each a JVM. Arguments: the server, the number of rows, the rows at which an executor is halted
 * (separated by commas), the folder for rejected rows, and the file for the result.
 */
final class ExecutorsJob {

    private static final int PARTITIONS = 8;

    /** Time that the first attempt of the last partition waits at each row, so that Spark starts another attempt. */
    private static final long SLOW_NANOS = 300_000;

    private ExecutorsJob() {}

    public static void main(String[] arguments) throws Exception {
        String uri = arguments[0];
        long rows = Long.parseLong(arguments[1]);
        Set<Long> halts = Stream.of(arguments[2].split(",", -1))
                .filter(text -> !text.isEmpty())
                .map(Long::valueOf)
                .collect(Collectors.toSet());
        try (SparkSession spark = session()) {
            Dataset<Row> people = spark.range(0, rows, 1, PARTITIONS)
                    .map((MapFunction<Long, Long>) id -> disturbed(id, halts, uri), Encoders.LONG())
                    .selectExpr(
                            "value AS id", "concat('name ', value) AS name", "cast(value AS decimal(12,2)) AS price");
            people.write()
                    .format("millrace")
                    .mode("append")
                    .option("uri", uri)
                    .option("key", "row:{id}")
                    .option("as", "hash")
                    .option("rejects", arguments[3])
                    .save();
            Files.writeString(
                    Path.of(arguments[4]), LoadReports.latest().orElseThrow().json() + "\n" + people.count() + "\n");
        }
    }

    private static SparkSession session() {
        return SparkSession.builder()
                .master("local-cluster[2,1,1024]")
                .config("spark.ui.enabled", false)
                .config("spark.executor.extraClassPath", System.getProperty("java.class.path"))
                .config("spark.executor.memory", "512m")
                .config("spark.executor.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
                .config("spark.task.maxFailures", 30)
                .config("spark.deploy.maxExecutorRetries", -1)
                .config("spark.speculation", true)
                .config("spark.speculation.interval", "100ms")
                .config("spark.speculation.quantile", 0.5)
                .config("spark.speculation.multiplier", 1.1)
                .getOrCreate();
    }

    private static Long disturbed(long id, Set<Long> halts, String uri) {
        if (halts.contains(id) && isFirst(id, uri)) {
            Runtime.getRuntime().halt(9);
        }
        TaskContext task = TaskContext.get();
        if (task.partitionId() == PARTITIONS - 1 && task.attemptNumber() == 0) {
            LockSupport.parkNanos(SLOW_NANOS);
        }
        return id;
    }

    /** Whether no executor was halted at this row before. The database 1 of the server remembers these rows. */
    private static boolean isFirst(long id, String uri) {
        try (RedisClient client = RedisClient.connect(RedisUri.parse(uri).withDatabase(1))) {
            return client.call(Strings.increment("halted:" + id)) == 1;
        }
    }
}
