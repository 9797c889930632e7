// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Strings;
import io.millrace.testkit.Polling;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
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
import org.apache.spark.sql.functions;

/**
 * A driver with two executors, each a JVM, and with speculation. The first jobs write with a password, and the driver logs all
 * that Spark logs. The next job is disturbed, and ends. The last job stops half-way, until the test kills the driver. Arguments:
 * a folder for all files, a server with a password, the encoded password, a server without a password, the number of rows, and
 * the rows at which an executor is halted (separated by commas).
 */
final class ExecutorsJob {

    static final int PARTITIONS = 8;

    /** The databases of the disturbed job, of the halts and attempts, and of the last job. */
    static final int DISTURBED = 0;

    private static final int NOTES = 1;
    static final int KILLED = 2;

    /** The key with the number of attempts of the last partition of the disturbed job. */
    private static final String ATTEMPTS = "attempts";

    /**
     * The files in the folder. The result has the report of the disturbed job, the number of the attempts of its last partition,
     * and the number of its rows.
     */
    static final String RESULT = "result";

    static final String EVENTS = "events";

    static final String REJECTS = "rejects";
    static final String REJECTS_OF_KILLED = "rejects-of-killed";

    /** The longest wait of the first attempt of the last partition for the attempt that Spark starts meanwhile. */
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

    private ExecutorsJob() {}

    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of(arguments[0]);
        String uri = arguments[3];
        long rows = Long.parseLong(arguments[4]);
        Set<Long> halts = Stream.of(arguments[5].split(",", -1))
                .filter(text -> !text.isEmpty())
                .map(Long::valueOf)
                .collect(Collectors.toSet());
        try (SparkSession spark = session(folder)) {
            writeWithPassword(spark, arguments[1], arguments[2]);

            long half = rows / PARTITIONS / 2;
            Dataset<Row> disturbed =
                    BadRows.hashes().rows(ids(spark, rows, id -> disturbed(id, halts, half, withDatabase(uri, NOTES))));
            write(disturbed, withDatabase(uri, DISTURBED), folder.resolve(REJECTS));
            Path result = Files.writeString(
                    folder.resolve(RESULT + ".part"),
                    LoadReports.latest().orElseThrow().json() + "\n" + attempts(withDatabase(uri, NOTES)) + "\n"
                            + disturbed.count() + "\n");
            Files.move(result, folder.resolve(RESULT), StandardCopyOption.ATOMIC_MOVE);

            Dataset<Row> stuck = BadRows.hashes().rows(ids(spark, rows, id -> stuck(id, half)));
            write(stuck, withDatabase(uri, KILLED), folder.resolve(REJECTS_OF_KILLED));
        }
    }

    /** Event logs contain the command of this process, so the argument with the password is encoded. */
    private static void writeWithPassword(SparkSession spark, String uri, String encodedPassword) {
        String password = new String(Base64.getDecoder().decode(encodedPassword), StandardCharsets.UTF_8);
        Dataset<Row> rows = spark.range(0, 10, 1, 1).withColumn("name", functions.lit("a"));
        spark.sparkContext().setLogLevel("DEBUG");
        for (String server : List.of(uri, "redis://127.0.0.1:1")) {
            try {
                rows.write()
                        .format("millrace")
                        .mode("append")
                        .option("uri", server)
                        .option("password", password)
                        .option("key", "row:{id}")
                        .option("as", "hash")
                        .save();
            } catch (SparkLoadException unreachable) {
                System.out.println(unreachable);
            }
        }
        System.out.println(LoadReports.recent());
        spark.sparkContext().setLogLevel("OFF");
    }

    private static Dataset<Long> ids(SparkSession spark, long rows, MapFunction<Long, Long> disturbance) {
        return spark.range(0, rows, 1, PARTITIONS).map(disturbance, Encoders.LONG());
    }

    static void write(Dataset<Row> rows, String uri, Path rejects) {
        rows.write()
                .format("millrace")
                .mode("append")
                .options(BadRows.hashes().optionMap())
                .option("uri", uri)
                .option("rejects", rejects.toString())
                .save();
    }

    static String withDatabase(String uri, int database) {
        return RedisUri.parse(uri).withDatabase(database).toString();
    }

    static SparkSession session(Path folder) {
        return SparkSession.builder()
                .master(TwoWorkers.start(folder))
                .config("spark.ui.enabled", false)
                // Each JVM would compile the code of each stage.
                .config("spark.sql.codegen.wholeStage", false)
                .config("spark.eventLog.enabled", true)
                .config("spark.eventLog.compress", false)
                .config("spark.eventLog.dir", folder.resolve(EVENTS).toString())
                .config("spark.sql.planChangeLog.level", "WARN")
                .config("spark.local.dir", folder.resolve("local").toString())
                .config("spark.executor.extraClassPath", System.getProperty("java.class.path"))
                .config("spark.executor.memory", "512m")
                .config(
                        "spark.executor.extraJavaOptions",
                        "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Djava.io.tmpdir=" + folder)
                .config("spark.task.maxFailures", 30)
                .config("spark.deploy.maxExecutorRetries", -1)
                .config("spark.speculation", true)
                .config("spark.speculation.interval", "100ms")
                .config("spark.speculation.quantile", 0.5)
                .config("spark.speculation.multiplier", 1.1)
                .getOrCreate();
    }

    /**
     * Halts the executor at each of the rows {@code halts}. The first attempt of the last partition waits half-way for a
     * speculative attempt, and then both write.
     *
     * @param half half of the rows of a partition
     * @param uri the database that remembers the halts and the attempts
     */
    private static Long disturbed(long id, Set<Long> halts, long half, String uri) {
        TaskContext task = TaskContext.get();
        boolean last = task.partitionId() == PARTITIONS - 1;
        if (halts.contains(id) && count("halted:" + id, uri) == 1) {
            Runtime.getRuntime().halt(9);
        } else if (last && id % (2 * half) == 0) {
            var unused = count(ATTEMPTS, uri);
        } else if (last && id % (2 * half) == half && task.attemptNumber() == 0) {
            awaitSecondAttempt(uri);
        }
        return id;
    }

    private static long count(String key, String uri) {
        try (RedisClient client = RedisClient.connect(RedisUri.parse(uri))) {
            return client.call(Strings.increment(key));
        }
    }

    private static void awaitSecondAttempt(String uri) {
        var unused = Polling.until(() -> attempts(uri) > 1, LONGEST_WAIT);
    }

    private static long attempts(String uri) {
        try (RedisClient client = RedisClient.connect(RedisUri.parse(uri))) {
            return client.call(Strings.get(ATTEMPTS)).map(Long::parseLong).orElse(0L);
        }
    }

    /** Each row after the first {@code half} rows of a partition takes a second. */
    private static Long stuck(long id, long half) {
        if (id % (2 * half) >= half) {
            LockSupport.parkNanos(1_000_000_000);
        }
        return id;
    }
}
