// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.sql.DataFrameWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** The session that all tests share, with two threads for tasks and four attempts of a task. */
final class TestSpark {

    private TestSpark() {}

    private static final class Holder {
        static final SparkSession SESSION = SparkSession.builder()
                .master("local[2,4]")
                .config("spark.ui.enabled", false)
                // The forked processes use the serializer of Java, which is the default.
                .config("spark.serializer", "org.apache.spark.serializer.KryoSerializer")
                .config("spark.sql.shuffle.partitions", 2)
                .config("spark.sql.warehouse.dir", System.getProperty("java.io.tmpdir") + "/millrace-warehouse")
                .getOrCreate();
    }

    static SparkSession session() {
        return Holder.SESSION;
    }

    /** Rows with the columns id, name, city, score and active, in {@code partitions} partitions. */
    static Dataset<Row> people(long rows, int partitions) {
        return session()
                .range(0, rows, 1, partitions)
                .selectExpr(
                        "id",
                        "concat('name ', id) AS name",
                        "concat('city ', id % 100) AS city",
                        "cast(id AS double) / 4 AS score",
                        "id % 2 = 0 AS active");
    }

    /** A write of {@code rows} with options in pairs of name and value. */
    static DataFrameWriter<Row> write(Dataset<Row> rows, String... options) {
        return rows.write().format("millrace").mode("append").options(options(options));
    }

    private static Map<String, String> options(String... pairs) {
        Map<String, String> options = new LinkedHashMap<>();
        options.put("uri", TestRedis.uri());
        for (int i = 0; i < pairs.length; i += 2) {
            options.put(pairs[i], pairs[i + 1]);
        }
        return options;
    }
}
