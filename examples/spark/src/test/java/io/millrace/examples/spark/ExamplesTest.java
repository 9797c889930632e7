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
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connect.service.SparkConnectService;
import org.apache.spark.sql.connect.service.SparkConnectService$;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import scala.Option;

class ExamplesTest {

    private static final String PROGRAM = "src/main/python/people.py";

    /** {@code .ci/python} installs Python with PySpark and the client of Spark Connect. */
    private static final Path PYTHON = Path.of("../../target/python/bin/python3");

    /** The places of the session of the program in Python. */
    enum Way {
        SPARK_CONNECT,
        IN_ITS_OWN_JVM
    }

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
        if (SparkConnectService$.MODULE$.started()) {
            SparkConnectService.stop(Option.empty(), Option.empty());
        }
        session.ifPresent(SparkSession::stop);
        client.close();
        server.close();
    }

    private SparkSession spark() {
        SparkSession started = SparkSession.builder()
                .master("local[2]")
                .config("spark.ui.enabled", false)
                .config("spark.sql.warehouse.dir", folder.toString())
                .config("spark.connect.grpc.binding.port", 0)
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

    @ParameterizedTest
    @EnumSource
    void programInPythonWritesItsRows(Way way) throws Exception {
        assumeTrue(Files.exists(PYTHON), "target/python is missing. Run .ci/python");
        ProcessBuilder program = switch (way) {
            case SPARK_CONNECT -> overSparkConnect();
            case IN_ITS_OWN_JVM -> inItsOwnJvm();
        };

        Process process = program.redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();

        assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue())
                .as(Files.readString(folder.resolve("log")))
                .isZero();
        assertWritten();
    }

    /** The session of this test becomes the server of Spark Connect. It stops with the session. */
    private ProcessBuilder overSparkConnect() {
        SparkConnectService.start(spark().sparkContext());
        return new ProcessBuilder(
                PYTHON.toString(), PROGRAM, server.uri(), "sc://127.0.0.1:" + SparkConnectService$.MODULE$.localPort());
    }

    private ProcessBuilder inItsOwnJvm() {
        String jars = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> entry.matches(".*(millrace-[^/]*|jackson-core-3[^/]*)\\.jar|.*/classes"))
                .collect(Collectors.joining(File.pathSeparator));
        ProcessBuilder program = new ProcessBuilder(PYTHON.toString(), PROGRAM, server.uri());
        program.environment()
                .put("PYSPARK_SUBMIT_ARGS", "--master local[2] --driver-class-path " + jars + " pyspark-shell");
        return program;
    }
}
