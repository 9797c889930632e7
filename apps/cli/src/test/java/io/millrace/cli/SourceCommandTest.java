// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.embedded.EmbeddedRedis;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Loads from each kind of source with the command line. */
class SourceCommandTest {

    private static EmbeddedRedis redis;
    private static Keyspace keyspace;

    @TempDir
    Path folder;

    @BeforeAll
    static void start() {
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
    void tableIsReadByFourReadersAndVerified() throws Exception {
        String url = "jdbc:h2:mem:readers;USER=sa;PASSWORD=x";
        try (Connection shop = DriverManager.getConnection(url);
                Statement statement = shop.createStatement()) {
            statement.execute(
                    "CREATE TABLE customer AS SELECT x AS id, 'name ' || x AS name FROM SYSTEM_RANGE(1, 5000)");

            CliRun run = load(
                    url,
                    "--table",
                    "customer",
                    "--readers",
                    "4",
                    "--partition",
                    "id",
                    "--key",
                    "c:{ID}",
                    "--as",
                    "hash",
                    "--verify",
                    "full");

            assertThat(run.code()).as(run.err()).isZero();
            assertThat(run.lastLine()).startsWith("rows: 5000, written: 5000, rejected: 0");
            assertThat(keyspace.size()).isEqualTo(5000);
        }
    }

    @Test
    void jsonLinesAreLoadedWithTheirTypesAndVerified() throws IOException {
        String orders = file("orders.jsonl", """
                {"id":1,"total":9.90,"paid":true,"tags":["a"],"note":null}
                {"id":2,"total":5,"paid":false,"tags":[]}
                """);

        CliRun run = load(orders, "--key", "o:{id}", "--as", "json", "--null", "json", "--verify", "full");

        assertThat(run.code()).as(run.err()).isZero();
        assertThat(keyspace.text("GET", "o:1"))
                .isEqualTo("{\"id\":1,\"total\":9.90,\"paid\":true,\"tags\":[\"a\"],\"note\":null}");
        assertThat(keyspace.text("GET", "o:2"))
                .isEqualTo("{\"id\":2,\"total\":5,\"paid\":false,\"tags\":[],\"note\":null}");
        assertThat(run.out()).contains("2 rows read back, 0 differ");
    }

    @Test
    void jsonArrayOnStandardInputIsLoadedByPath() {
        CliRun run = CliRun.of(
                Map.of(),
                "[{\"id\":1,\"user\":{\"name\":\"Ada\"}},\n{\"id\":2,\"user\":{\"name\":\"Bob\"}}]",
                args("-", "--format", "json", "--columns", "id,user.name", "--key", "u:{user.name}", "--as", "hash"));

        assertThat(run.code()).as(run.err()).isZero();
        assertThat(keyspace.hash("u:Bob")).isEqualTo(Map.of("id", "2", "user.name", "Bob"));
    }

    @Test
    void malformedLineIsRejectedWithItsPlace() throws IOException {
        String orders = file("orders.jsonl", "{\"id\":1}\n{\"id\":\n{\"id\":3}\n");

        CliRun run = load(orders, "--key", "o:{id}", "--as", "hash");

        assertThat(run.code()).isEqualTo(3);
        assertThat(run.err()).contains("rejected: " + orders + ":2: malformed-json: ");
        assertThat(run.lastLine()).startsWith("rows: 3, written: 2, rejected: 1, skipped: 0, unconfirmed: 0,");
    }

    @Test
    void typesOfCsvValuesShowInJsonDocuments() throws IOException {
        String shop = file("shop.csv", "# made by hand\nid,zip,price,vip\n1,01234,2.50,true\n");

        CliRun run = load(shop, "--key", "s:{id}", "--as", "json", "--comment", "#", "--types", "infer,zip:text");

        assertThat(run.code()).as(run.err()).isZero();
        assertThat(keyspace.text("GET", "s:1")).isEqualTo("{\"id\":1,\"zip\":\"01234\",\"price\":2.50,\"vip\":true}");
    }

    @Test
    void patternAndSeveralFilesAreLoadedInOrder() throws IOException {
        String first = file("a-1.csv", "id,name\n1,Ada\n2,Bob\n");
        String second = file("a-2.csv", "id,name\n2,Eve\n3\n");
        String pattern = folder.resolve("a-*.csv").toString();

        CliRun byPattern = load(pattern, "--key", "p:{id}", "--as", "hash");
        CliRun byName = load(second, "--key", "n:{id}", first, "--as", "hash");

        assertThat(byPattern.lastLine()).startsWith("rows: 4, written: 3, rejected: 1,");
        assertThat(byPattern.err()).contains("rejected: " + second + ":3: too-few-fields");
        assertThat(keyspace.hash("p:2")).containsEntry("name", "Eve");
        assertThat(byName.lastLine()).startsWith("rows: 4, written: 3, rejected: 1,");
        assertThat(keyspace.hash("n:2")).containsEntry("name", "Bob");
    }

    @Test
    void compressedFileIsLoadedAndAnIncompleteFileEndsWithCodeFour() throws IOException {
        byte[] whole = gzip("id,name\n" + "1,x\n".repeat(100_000));
        Path good = Files.write(folder.resolve("good.csv.gz"), whole);
        Path cut = Files.write(folder.resolve("cut.csv.gz"), Arrays.copyOf(whole, whole.length - 9));

        CliRun complete = load(good.toString(), "--key", "{id}", "--as", "hash");
        CliRun incomplete = load(cut.toString(), "--key", "{id}", "--as", "hash");

        assertThat(complete.code()).as(complete.err()).isZero();
        assertThat(complete.lastLine()).startsWith("rows: 100000, written: 100000,");
        assertThat(incomplete.code()).isEqualTo(4);
        assertThat(incomplete.err()).contains("the gzip data ends early: the file is not complete");
    }

    @Test
    void rejectedRowsAreLoadedAgain() throws IOException {
        String shop = file("shop.csv", "id,name,note\n1,Ada,\n2,\"B \"\"b\"\"\",x\n3,Eve,\n");
        keyspace.call("SET", "c:2", "not a hash");
        Path rejects = folder.resolve("rejects.jsonl");

        CliRun first = load(shop, "--key", "c:{id}", "--as", "hash", "--rejects", rejects.toString());
        keyspace.call("DEL", "c:2");
        CliRun again = load(rejects.toString(), "--key", "c:{id}", "--as", "hash");

        assertThat(first.code()).isEqualTo(3);
        assertThat(again.code()).as(again.err()).isZero();
        assertThat(again.lastLine()).startsWith("rows: 1, written: 1,");
        assertThat(keyspace.hash("c:2")).isEqualTo(Map.of("id", "2", "name", "B \"b\"", "note", "x"));
    }

    @Test
    void generatedRowsAreLoaded() {
        CliRun run = load("gen:1000", "--key", "g:{id}", "--as", "hash", "--verify", "full");

        assertThat(run.code()).as(run.err()).isZero();
        assertThat(keyspace.size()).isEqualTo(1_000);
        assertThat(run.out()).contains("load").contains("1,000 rows read back, 0 differ");
    }

    @Test
    void missingDriverIsReportedWithTheNameOfItsJar() {
        CliRun run = load("jdbc:duckdb:", "--query", "SELECT 1 AS id", "--key", "{id}", "--as", "hash");

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains("there is no driver for jdbc:duckdb:").contains("org.duckdb:duckdb_jdbc");
    }

    @Test
    void folderOfDriversIsSearched() throws IOException {
        Files.writeString(folder.resolve("broken.jar"), "no jar");

        CliRun run = CliRun.of(
                Map.of("MILLRACE_DRIVERS", folder.toString()),
                "",
                args("jdbc:sqlite::memory:", "--query", "SELECT 1 AS id", "--key", "{id}", "--as", "hash"));

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains("cannot use the driver file " + folder.resolve("broken.jar"));
    }

    private static byte[] gzip(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream out = new GZIPOutputStream(bytes)) {
            out.write(text.getBytes(UTF_8));
        }
        return bytes.toByteArray();
    }

    private static CliRun load(String... args) {
        return CliRun.of(args(args));
    }

    private static String[] args(String... args) {
        return CliRun.args(List.of("load", "-p", Integer.toString(redis.port())), args);
    }

    private String file(String name, String content) throws IOException {
        return Files.writeString(folder.resolve(name), content).toString();
    }
}
