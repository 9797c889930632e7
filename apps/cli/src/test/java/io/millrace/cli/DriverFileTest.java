// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.embedded.EmbeddedRedis;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.ServiceLoader;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Loads a Parquet file with the driver of DuckDB. The driver is in a file, and not on the class path of the test. */
class DriverFileTest {

    private static final Path DUCKDB =
            Path.of(requireNonNull(System.getProperty("millrace.duckdb"), "pom.xml sets the path of the driver"));

    @TempDir
    static Path folder;

    private static Path parquet;
    private static EmbeddedRedis redis;
    private static Keyspace keyspace;

    @BeforeAll
    static void start() throws Exception {
        parquet = folder.resolve("sales.parquet");
        URL[] jar = {DUCKDB.toUri().toURL()};
        try (URLClassLoader loader = new URLClassLoader(jar, ClassLoader.getPlatformClassLoader())) {
            Driver driver = ServiceLoader.load(Driver.class, loader).findFirst().orElseThrow();
            try (Connection database = requireNonNull(driver.connect("jdbc:duckdb:", new Properties()));
                    Statement statement = database.createStatement()) {
                statement.execute("""
                        COPY (SELECT range AS id, 'größe ' || range AS name, [range, NULL] AS tags FROM range(1000))
                        TO '%s' (FORMAT parquet)""".formatted(parquet));
            }
        }
        redis = EmbeddedRedis.start();
        keyspace = Keyspace.of(redis);
    }

    @AfterAll
    static void end() {
        keyspace.close();
        redis.close();
    }

    @BeforeEach
    void clear() {
        keyspace.clear();
    }

    @Test
    void parquetFileIsLoadedWithANamedDriver() {
        assertLoaded(CliRun.of(args("--driver", DUCKDB.toString())));
    }

    @Test
    void parquetFileIsLoadedWithADriverOfTheFolder() throws Exception {
        Path drivers = Files.createDirectory(folder.resolve("drivers"));
        Path link = Files.createSymbolicLink(drivers.resolve("duckdb.jar"), DUCKDB);

        assertLoaded(CliRun.of(Map.of("MILLRACE_DRIVERS", drivers.toString()), "", args()));
        Files.delete(link);
    }

    private static void assertLoaded(CliRun run) {
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.lastLine()).startsWith("rows: 1000, written: 1000, rejected: 0,");
        assertThat(run.out()).contains("1,000 rows read back, 0 differ");
        assertThat(keyspace.size()).isEqualTo(1_000);
        assertThat(keyspace.hash("sale:7")).isEqualTo(Map.of("id", "7", "name", "größe 7", "tags", "[7,null]"));
    }

    private static String[] args(String... more) {
        List<String> args = List.of(
                "load",
                "jdbc:duckdb:",
                "--query",
                "SELECT * FROM '" + parquet + "' ORDER BY id",
                "--key",
                "sale:{id}",
                "--as",
                "hash",
                "--verify",
                "full",
                "-p",
                Integer.toString(redis.port()));
        return CliRun.args(args, more);
    }
}
