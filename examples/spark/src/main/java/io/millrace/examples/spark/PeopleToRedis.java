// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples.spark;

import io.millrace.spark.JobReport;
import io.millrace.spark.LoadReports;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Writes a DataFrame into Redis, and prints how many rows Redis has acknowledged. */
public final class PeopleToRedis {

    private PeopleToRedis() {}

    /** Runs on the master of {@code spark-submit}. The argument is the server, such as {@code redis://cache:6379}. */
    public static void main(String[] arguments) throws Exception {
        try (SparkSession spark = SparkSession.builder().getOrCreate()) {
            Dataset<Row> people = spark.range(1_000).selectExpr("id", "concat('name ', id) AS name");
            System.out.println(write(people, arguments[0]).rowsWritten() + " rows written");
        }
    }

    static JobReport write(Dataset<Row> people, String uri) {
        people.write()
                .format("millrace")
                .mode("append")
                .option("uri", uri)
                .option("key", "user:{id}")
                .option("as", "hash")
                .option("ttl", "7d")
                .save();
        return LoadReports.latest().orElseThrow();
    }
}
