// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Hashes;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.spark.JobReport;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExamplesTest {

    private final EmbeddedRedis server = EmbeddedRedis.start();
    private final RedisClient client = RedisClient.connect(RedisUri.parse(server.uri()));

    @TempDir
    Path folder;

    private Optional<SparkSession> session = Optional.empty();

    @BeforeEach
    void serverIsEmpty() {
        assertThat(client.call(Hashes.getAll("user:7"))).isEmpty();
    }

    @AfterEach
    void close() {
        session.ifPresent(SparkSession::stop);
        client.close();
        server.close();
    }

    private SparkSession spark() {
        SparkSession started = SparkSession.builder()
                .master("local[2]")
                .config("spark.ui.enabled", false)
                .config("spark.sql.warehouse.dir", folder.toString())
                .getOrCreate();
        session = Optional.of(started);
        return started;
    }

    private void assertWritten() {
        assertThat(client.call(Hashes.getAll("user:7"))).isEqualTo(Map.of("id", "7", "name", "name 7"));
    }

    @Test
    void programInJavaWritesItsRows() {
        var people = spark().range(1_000).selectExpr("id", "concat('name ', id) AS name");

        JobReport report = PeopleToRedis.write(people, server.uri());

        assertThat(report.rowsWritten()).isEqualTo(1_000);
        assertWritten();
    }

    @Test
    void scriptInSqlWritesItsRows() throws IOException {
        String script = Files.readString(Path.of("src/main/sql/people.sql"));
        SparkSession spark = spark();

        for (String statement : script.split(";", -1)) {
            if (!statement.isBlank()) {
                spark.sql(statement.replace("redis://cache:6379", server.uri()));
            }
        }

        assertWritten();
    }

    /** Python installs PySpark with the jars of Spark. Without PySpark, the test is skipped. */
    @Test
    void programInPythonWritesItsRows() throws Exception {
        assumeTrue(
                python("-c", "import pyspark") == 0, "python3 has no pyspark. Install it: pip install pyspark==4.2.0");

        int exit = python(Path.of("src/main/python/people.py").toAbsolutePath().toString(), server.uri());

        assertThat(exit).as(Files.readString(folder.resolve("log"))).isZero();
        assertWritten();
    }

    private int python(String... arguments) throws IOException, InterruptedException {
        String jars = String.join(
                ",",
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                        .filter(entry -> entry.matches(".*(millrace-[^/]*|jackson-core-3[^/]*)\\.jar|.*/classes"))
                        .toList());
        ProcessBuilder builder = new ProcessBuilder("python3");
        builder.command().addAll(List.of(arguments));
        builder.environment()
                .put(
                        "PYSPARK_SUBMIT_ARGS",
                        "--master local[2] --driver-class-path " + jars.replace(',', File.pathSeparatorChar)
                                + " pyspark-shell");
        builder.redirectErrorStream(true).redirectOutput(folder.resolve("log").toFile());
        try {
            Process process = builder.start();
            assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
            return process.exitValue();
        } catch (IOException noPython) {
            return -1;
        }
    }
}
