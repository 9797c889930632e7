// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;

/**
 * A driver with two executors of 512 MB, which writes two large partitions. Arguments: a folder for all files, the server, and
 * the number of rows of a partition.
 */
final class LargePartitionsJob {

    static final int PARTITIONS = 2;

    /** Few, so that the server needs little memory. */
    static final long KEYS = 100_000;

    /** The file in the folder that receives the report. */
    static final String RESULT = "result";

    private LargePartitionsJob() {}

    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of(arguments[0]);
        Files.createDirectories(folder.resolve(ExecutorsJob.EVENTS));
        try (SparkSession spark = ExecutorsJob.session(folder)) {
            spark.range(0, PARTITIONS * Long.parseLong(arguments[2]), 1, PARTITIONS)
                    .withColumn("user", functions.expr("id % " + KEYS))
                    .withColumn("name", functions.expr("concat('name ', id)"))
                    .withColumn("city", functions.expr("concat('city ', id % 100)"))
                    .withColumn("score", functions.expr("id / 4.0"))
                    .write()
                    .format("millrace")
                    .mode("append")
                    .option("uri", arguments[1])
                    .option("key", "user:{user}")
                    .option("as", "hash")
                    .save();
            Path result = Files.writeString(
                    folder.resolve(RESULT + ".part"),
                    LoadReports.latest().orElseThrow().json());
            Files.move(result, folder.resolve(RESULT), StandardCopyOption.ATOMIC_MOVE);
        }
    }
}
