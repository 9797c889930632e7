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
    void severalPatternsAreLoadedAndEachFileOnce() throws IOException {
        file("b-1.csv", "id,name\n1,Ada\n");
        file("b-2.csv", "id,name\n2,Bob\n");
        file("c-1.csv", "id,name\n3,Eve\n");
        String ofB = folder.resolve("b-*.csv").toString();
        String ofC = folder.resolve("c-*.csv").toString();

        CliRun run = load(
                ofB,
                "--key",
                "l",
                "--as",
                "list",
                "--value",
                "name",
                ofC,
                folder.resolve("b-1.csv").toString());
        CliRun none = load(
                ofB, "--key", "l", "--as", "list", folder.resolve("d-*.csv").toString());

        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.lastLine()).startsWith("rows: 3, written: 3,");
        assertThat(List.of(
                        keyspace.text("LINDEX", "l", "0"),
                        keyspace.text("LINDEX", "l", "1"),
                        keyspace.text("LINDEX", "l", "2")))
                .containsExactly("Ada", "Bob", "Eve");
        assertThat(none.code()).isEqualTo(2);
        assertThat(none.err()).contains("d-*.csv: no file matches this pattern.");
    }

    @Test
    void severalPatternsWithoutAKnownEndingNeedTheFormat() throws IOException {
        file("e-1.dat", "id,name\n1,Ada\n");
        file("f-1.dat", "id,name\n2,Bob\n");
        String ofE = folder.resolve("e-*.dat").toString();
        String ofF = folder.resolve("f-*.dat").toString();

        CliRun run = load(ofE, "--format", "csv", "--key", "e:{id}", "--as", "hash", ofF);
        CliRun without = load(ofE, "--key", "e:{id}", "--as", "hash", ofF);

        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.lastLine()).startsWith("rows: 2, written: 2,");
        assertThat(without.code()).isEqualTo(2);
        assertThat(without.err()).contains("unexpected argument");
    }

    @Test
    void fileWithTwoSpellingsIsReadOnceAndKeepsItsFirstName() throws IOException {
        String typed = file("g.csv", "id,name\n1\n2,Bob\n");
        String spelled = folder.resolve("..")
                .resolve(folder.getFileName())
                .resolve("g*.csv")
                .toString();
        Path link = Files.createSymbolicLink(folder.resolve("link.csv"), Path.of(typed));

        CliRun run = load(typed, "--key", "g", "--as", "list", "--value", "name", spelled, link.toString());

        assertThat(run.lastLine()).startsWith("rows: 2, written: 1, rejected: 1,");
        assertThat(run.err()).contains("rejected: " + typed + ":2");
    }

    @Test
    void eachFileHasTheFormatOfItsEnding() throws IOException {
        String csv = file("d.csv", "id,name\n1,Ada\n");
        String tsv = file("d.tsv", "id\tname\n2\tBob, B.\n");
        String json = file("d.jsonl", "{\"name\":\"Eve\",\"id\":3}\n");
        String other = file("d.dat", "id,name\n4,Tom\n");

        CliRun run = load(csv, tsv, json, "--key", "f:{id}", "--as", "hash", "--verify", "full");
        CliRun unknown = load(csv, other, "--key", "f:{id}", "--as", "hash");
        CliRun quoted = load(csv, json, "--quote", "none", "--key", "q:{id}", "--as", "hash");
        CliRun foreign = load(csv, json, "--table", "t", "--key", "q:{id}", "--as", "hash");

        assertThat(run.code()).as(run.err()).isZero();
        assertThat(keyspace.hash("f:2")).isEqualTo(Map.of("id", "2", "name", "Bob, B."));
        assertThat(keyspace.hash("f:3")).isEqualTo(Map.of("id", "3", "name", "Eve"));
        assertThat(unknown.code()).isEqualTo(2);
        assertThat(unknown.err()).contains("cannot detect the format of " + other + ": its name does not end in .csv");
        assertThat(quoted.code()).as(quoted.err()).isZero();
        assertThat(foreign.err()).contains("but SOURCE is a CSV or TSV file and a JSON file.");
    }

    @Test
    void filesAreReadByFourReadersAndVerified() throws IOException {
        for (int part = 0; part < 6; part++) {
            StringBuilder rows = new StringBuilder("id,name\n");
            for (int row = 0; row < 2_000; row++) {
                rows.append(part * 2_000 + row).append(",n").append(row).append('\n');
            }
            file("r-" + part + ".csv", rows + (part == 5 ? "1,x,y\n" : ""));
        }
        String pattern = folder.resolve("r-*.csv").toString();

        CliRun run = load(pattern, "--readers", "4", "--key", "r:{id}", "--as", "hash", "--verify", "full");
        CliRun checkpoint = load(pattern, "--readers", "4", "--checkpoint", "c", "--key", "r:{id}", "--as", "hash");
        CliRun input = CliRun.of(
                Map.of(), "", args("-", "--format", "csv", "--readers", "2", "--key", "r:{id}", "--as", "hash"));

        assertThat(run.code()).as(run.err()).isEqualTo(3);
        assertThat(run.lastLine()).startsWith("rows: 12001, written: 12000, rejected: 1,");
        assertThat(run.err()).contains("rejected: " + folder.resolve("r-5.csv") + ":2002: too-many-fields");
        assertThat(run.out()).contains("12,000 rows read back, 0 differ");
        assertThat(keyspace.hash("r:11999")).containsEntry("name", "n1999");
        assertThat(checkpoint.code()).isEqualTo(2);
        assertThat(checkpoint.err()).contains("--readers reads them in any order");
        assertThat(input.err()).contains("--readers reads several files at once, and standard input is one file.");
    }

    @Test
    void reportOfFilesThatAreReadAtOnceDoesNotSayWhichRowOfAKeyRemains() throws IOException {
        String first = file("same-1.csv", "id,name\n1,Ada\n2,Bob\n");
        String second = file("same-2.csv", "id,name\n1,Eve\n");
        String[] twoReaders = {first, second, "--readers", "2", "--key", "s:{id}", "--as", "hash"};

        CliRun atOnce = load(twoReaders);
        CliRun dry = load(CliRun.args(List.of(twoReaders), "--dry-run"));
        CliRun inOrder = load(first, second, "--key", "s:{id}", "--as", "hash");
        CliRun equalRows = load(first, second, "--readers", "2", "--key", "ids", "--as", "set", "--value", "id");

        for (CliRun run : List.of(atOnce, dry)) {
            assertThat(run.out()).contains("keys: 3 rows, 2 keys; of the rows of one key, only one remains\n");
            assertThat(run.err()).contains("which of these rows remains is not determined. Use one reader.");
        }
        assertThat(inOrder.out()).contains("of the rows of one key, only the last one remains\n");
        assertThat(inOrder.err()).doesNotContain("not determined");
        assertThat(equalRows.out()).contains("keys: 3 rows, 2 keys;");
        assertThat(equalRows.err()).as("equal members").doesNotContain("not determined");
        assertThat(keyspace.hash("s:1")).containsEntry("name", "Eve");
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
