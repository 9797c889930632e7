// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A marked password is in no plan, log and event of Spark. */
class SecretsTest {

    private static final String SECRET = "s3cretmark4711";

    @TempDir
    Path folder;

    /** A driver that writes with a password, explains its plan, and logs all that Spark logs. */
    static final class PasswordJob {

        private PasswordJob() {}

        public static void main(String[] arguments) throws IOException {
            // Event logs contain the command of the process, so the argument is encoded.
            String password = new String(Base64.getDecoder().decode(arguments[1]), StandardCharsets.UTF_8);
            try (SparkSession spark = SparkSession.builder()
                    .master("local[1]")
                    .config("spark.ui.enabled", false)
                    .config("spark.eventLog.enabled", true)
                    .config("spark.eventLog.compress", false)
                    .config("spark.eventLog.dir", arguments[2])
                    .config("spark.sql.planChangeLog.level", "WARN")
                    .getOrCreate()) {
                spark.sparkContext().setLogLevel("DEBUG");
                var rows = spark.range(10).withColumn("name", functions.lit("a"));
                for (String server : new String[] {arguments[0], "redis://127.0.0.1:1"}) {
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
            }
        }
    }

    @Test
    void markedPasswordIsFoundNowhere() throws Exception {
        Path events = Files.createDirectories(folder.resolve("events"));
        try (EmbeddedRedis server =
                EmbeddedRedis.start(EmbeddedOptions.defaults().withPassword(SECRET))) {
            String encoded = Base64.getEncoder().encodeToString(SECRET.getBytes(StandardCharsets.UTF_8));
            String uri = "redis://" + server.host() + ":" + server.port();

            SparkProcess.run(PasswordJob.class, folder, uri, encoded, events.toString());
        }

        List<Path> files;
        try (Stream<Path> walked = Files.walk(folder)) {
            files = walked.filter(Files::isRegularFile).toList();
        }
        assertThat(files).anyMatch(file -> file.startsWith(events));
        assertThat(Files.readString(folder.resolve("driver.log")))
                .contains("rowsWritten=10", "cannot prepare the server");
        assertThat(files).allSatisfy(file -> assertThat(text(file)).doesNotContain(SECRET));
    }

    private static String text(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
    }
}
