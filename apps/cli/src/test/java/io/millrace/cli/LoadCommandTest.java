// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.embedded.EmbeddedRedis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LoadCommandTest {

    private static final String GOOD =
            "id,name,email\n1,Ada Lovelace,ada@example.com\n2,Zoë,\n3,\"a \"\"b\"\"\",c@example.com\n";

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
    void fileIsLoadedIntoHashesAndTheLastLineHasTheRowCounts() throws IOException {
        String shop = file("shop.csv", GOOD);

        CliRun run = load(shop, "--key", "customer:{id}", "--as", "hash");

        assertThat(run.code()).isZero();
        assertThat(run.lastLine())
                .matches(
                        "rows: 3, written: 3, rejected: 0, skipped: 0, unconfirmed: 0, \\d+\\.\\d\\d s, [\\d,]+ rows/s");
        assertThat(keyspace.hash("customer:1"))
                .isEqualTo(Map.of("id", "1", "name", "Ada Lovelace", "email", "ada@example.com"));
        assertThat(keyspace.hash("customer:2")).isEqualTo(Map.of("id", "2", "name", "Zoë"));
        assertThat(keyspace.hash("customer:3")).containsEntry("name", "a \"b\"");
    }

    @Test
    void jsonOptionPrintsOneObjectAndTheReportFileContainsTheSameObject() throws IOException {
        String shop = file("shop.csv", GOOD);
        Path report = folder.resolve("report.json");

        CliRun run = load(
                shop, "--key", "{id}", "--as", "hash", "--json", "--verify", "full", "--report", report.toString());

        assertThat(run.code()).isZero();
        assertThat(run.out()).hasLineCount(1).startsWith("{\"rows\":{\"read\":3,\"written\":3,\"rejected\":0,");
        assertThat(run.out())
                .contains("\"verified\":{\"checked\":3,\"mismatched\":0}")
                .endsWith("}" + System.lineSeparator());
        assertThat(Files.readString(report).strip()).isEqualTo(run.out().strip());
    }

    @Test
    void standardInputIsLoadedIntoExpiringStrings() {
        CliRun run = CliRun.of(
                Map.of(),
                "id\tname\n1\tAda\n",
                args("-", "--format", "tsv", "--key", "k:{id}", "--as", "string", "--value", "{name}!", "--ttl", "1h"));

        assertThat(run.err())
                .isEqualTo("load: standard input -> redis://127.0.0.1:" + redis.port() + System.lineSeparator());
        assertThat(run.code()).isZero();
        assertThat(keyspace.text("GET", "k:1")).isEqualTo("Ada!");
        assertThat(keyspace.number("PTTL", "k:1")).isBetween(3_500_000L, 3_600_000L);
    }

    @Test
    void fusionIsReportedAndCanBeTurnedOff() throws IOException {
        String shop = file("shop.csv", "id,name\n" + "1,x\n".repeat(64));

        CliRun fused = load(shop, "--key", "c", "--as", "hash", "--field", "{id}");
        CliRun apart = load(shop, "--key", "c", "--as", "hash", "--field", "{id}", "--no-fusion");
        CliRun json = load(shop, "--key", "c", "--as", "hash", "--field", "{id}", "--no-fusion", "--json");

        assertThat(fused.out()).containsPattern("fused: \\d+ commands into \\d+");
        assertThat(apart.out()).doesNotContain("fused");
        assertThat(json.out()).contains("\"fused\":{\"commands\":0,\"fusedBatches\":0}");
    }

    @Test
    void databaseQueryIsLoadedIntoJsonDocuments() {
        CliRun run = load(
                "jdbc:sqlite::memory:",
                "--query",
                "SELECT 7 AS id, 'Ada' AS name, NULL AS email",
                "--key",
                "c:{id}",
                "--as",
                "json");

        assertThat(run.err()).contains("load: jdbc:sqlite::memory: -> ");
        assertThat(run.code()).isZero();
        assertThat(keyspace.text("GET", "c:7")).isEqualTo("{\"id\":7,\"name\":\"Ada\"}");
    }

    @Test
    void unquotedFieldThatEqualsTheValueOfTheNullInOptionIsNull() throws IOException {
        String shop = file("shop.csv", "id,name,note,city\n1,\\N,\"\\N\",\n");

        CliRun run = load(shop, "--key", "c:{id}", "--as", "hash", "--null-in", "\\N");

        assertThat(run.code()).as(run.err()).isZero();
        assertThat(keyspace.hash("c:1")).isEqualTo(Map.of("id", "1", "note", "\\N", "city", ""));
    }

    @Test
    void optionQuoteNoneTreatsAQuoteAsAnOrdinaryCharacter() throws IOException {
        String shop = file("shop.csv", "id,name\n1,\"Ada\n");

        CliRun run = load(shop, "--key", "c:{id}", "--as", "hash", "--quote", "none");

        assertThat(run.code()).as(run.err()).isZero();
        assertThat(keyspace.hash("c:1")).containsEntry("name", "\"Ada");
    }

    @Test
    void quietOptionPrintsOnlyTheResult() throws IOException {
        String shop = file("shop.csv", "id,name\n1,Ada\n2\n");

        CliRun run = load(shop, "--key", "{id}", "--as", "hash", "--quiet");

        assertThat(run.err()).isEmpty();
        assertThat(run.lastLine()).startsWith("rows: 2, written: 1, rejected: 1,");
        assertThat(run.code()).isEqualTo(3);
    }

    @Test
    void badRowsAreRejectedWithPlaceAndReasonAndOtherRowsAreWritten() throws IOException {
        Path shop = folder.resolve("shop.csv");
        Files.write(shop, "id,name\n1,Ada\n2\n3,\"x\"y\n4,K\u00f6ln\n,nobody\n6,Zo\n".getBytes(ISO_8859_1));
        Path rejects = folder.resolve("rejects.jsonl");

        CliRun run = load(shop.toString(), "--key", "c:{id}", "--as", "hash", "--rejects", rejects.toString());

        assertThat(run.code()).isEqualTo(3);
        assertThat(run.err())
                .contains("rejected: " + shop + ":3: too-few-fields: ")
                .contains("rejected: " + shop + ":4: text-after-quote: ")
                .contains("rejected: " + shop + ":5: not-utf8: ")
                .contains("rejected: " + shop + ":6: key-empty: ")
                .contains("All rejected rows, with their reasons, are in " + rejects);
        assertThat(run.lastLine()).startsWith("rows: 6, written: 2, rejected: 4, skipped: 0, unconfirmed: 0,");
        assertThat(Files.readAllLines(rejects)).hasSize(4);
        assertThat(keyspace.size()).isEqualTo(2);
        assertThat(keyspace.hash("c:6")).containsEntry("name", "Zo");
    }

    @Test
    void loadOfAFileWithAnUnclosedQuoteExitsWith4() throws IOException {
        String shop = file("shop.csv", "id,name\n1,Ada\n2,\"Zoë\n3,x\n");

        CliRun run = load(shop, "--key", "c:{id}", "--as", "hash");

        assertThat(run.code()).isEqualTo(4);
        assertThat(run.err())
                .contains("rejected: " + shop + ":3: quote-not-closed: ")
                .contains("millrace: stopped: ");
        assertThat(run.out()).startsWith("stopped while loading " + shop + " into " + ServerName.of(redis) + " ");
        assertThat(run.lastLine()).startsWith("rows: 2, written: 1, rejected: 1,");
        assertThat(keyspace.size()).isEqualTo(1);
    }

    @Test
    void loadWithOnErrorStopEndsAtTheFirstRejectedRow() throws IOException {
        String shop = file("shop.csv", "id,name\n1,Ada\n2\n3,x\n4,y\n");

        CliRun run = load(shop, "--key", "c:{id}", "--as", "hash", "--on-error", "stop");

        assertThat(run.code()).isEqualTo(4);
        assertThat(run.err()).contains("millrace: stopped: ").doesNotContain("\tat ");
        assertThat(run.lastLine()).startsWith("rows: 2, written: 1, rejected: 1,");
    }

    @Test
    void loadExitsWith4IfMoreRowsAreRejectedThanMaxErrors() throws IOException {
        String shop = file("shop.csv", "id,name\n1,Ada\n2\n3\n4\n5,y\n");

        CliRun run = load(shop, "--key", "c:{id}", "--as", "hash", "--max-errors", "1");

        assertThat(run.code()).isEqualTo(4);
        assertThat(run.lastLine()).startsWith("rows: 3, written: 1, rejected: 2,");
    }

    @Test
    void incompleteLoadIntoAListSaysWhatARepeatedLoadWouldDo() throws IOException {
        String shop = file("shop.csv", "id,name\n1,Ada\n,none\n3,x\n");

        CliRun run = load(shop, "--key", "l:{id}", "--as", "list", "--value", "name", "--rate", "1000000");

        assertThat(run.code()).isEqualTo(3);
        assertThat(run.err())
                .contains("millrace: a repeated load of the same source would add 2 rows a second time. Load only");
        assertThat(keyspace.number("LLEN", "l:1")).isEqualTo(1);
    }

    @Test
    void rowsOfExistingKeysAreSkippedAndTheLoadSucceeds() throws IOException {
        keyspace.call("SET", "c:1", "old");
        String shop = file("shop.csv", "id,name,ttl\n1,Ada,1h\n2,Zoë,1h\n3,x,30m\n");

        CliRun run = load(
                shop, "--key", "c:{id}", "--as", "hash", "--only-missing", "--ttl-field", "ttl", "--exclude", "ttl");

        assertThat(run.code()).isZero();
        assertThat(run.lastLine()).startsWith("rows: 3, written: 2, rejected: 0, skipped: 1, unconfirmed: 0,");
        assertThat(keyspace.text("GET", "c:1")).isEqualTo("old");
        assertThat(keyspace.number("PTTL", "c:3")).isBetween(1_700_000L, 1_800_000L);
    }

    @Test
    void verificationOfAListExitsWith2AndWritesNothing() throws IOException {
        String shop = file("shop.csv", "id,name\n1,Ada\n");

        CliRun run = load(shop, "--key", "l", "--as", "list", "--verify", "full");

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains("rows cannot be verified: type=list, key=l");
        assertThat(keyspace.number("EXISTS", "l")).isZero();
    }

    @Test
    void rowWhoseKeyHasAnotherTypeIsRejectedAndTheKeyIsUnchanged() throws IOException {
        keyspace.call("SADD", "c:1", "member");
        keyspace.call("SADD", "c:2", "member");
        keyspace.call("EXPIRE", "c:2", "100000");
        String shop = file("shop.csv", "id,name\n1,Ada\n2,Zoë\n3,x\n");

        CliRun run = load(shop, "--key", "c:{id}", "--as", "hash", "--ttl", "30s");

        assertThat(run.code()).isEqualTo(3);
        assertThat(run.err())
                .contains("rejected: " + shop + ":2: server-error: ")
                .contains("WRONGTYPE Operation against a key holding the wrong kind of value");
        assertThat(run.lastLine()).startsWith("rows: 3, written: 1, rejected: 2,");
        assertThat(keyspace.text("TYPE", "c:1")).isEqualTo("set");
        assertThat(keyspace.number("PTTL", "c:1")).isEqualTo(-1);
        assertThat(keyspace.number("TTL", "c:2")).isGreaterThan(99_000);
        assertThat(keyspace.number("PTTL", "c:3")).isBetween(20_000L, 30_000L);
    }

    @Test
    void loadExitsWith7IfTheSourceChangesBeforeTheVerification() {
        CliRun run = load(
                "jdbc:sqlite::memory:",
                "--query",
                "SELECT 1 AS id, random() AS v",
                "--key",
                "c:{id}",
                "--as",
                "hash",
                "--verify",
                "full");

        assertThat(run.out()).contains("verified: 1 rows read back, 1 differ");
        assertThat(run.code()).isEqualTo(7);
    }

    @Test
    void dryRunReadsEveryRowAndWritesNone() throws IOException {
        String shop = file("shop.csv", "id,name\n1,Ada\n2\n");

        CliRun run = load(shop, "--key", "c:{id}", "--as", "hash", "--dry-run");

        assertThat(run.code()).isEqualTo(3);
        assertThat(run.out()).startsWith("dry run of " + shop + ": Redis was not contacted");
        assertThat(run.lastLine()).startsWith("rows: 2, written: 0, rejected: 1, skipped: 1,");
        assertThat(keyspace.size()).isZero();
    }

    @Test
    void progressShareIsOneAtTheEndOfTheLoadAndIsShownDuringVerification() throws IOException {
        String shop = file("shop.csv", GOOD);

        CliRun run = load(shop, "--key", "c:{id}", "--as", "hash", "--progress", "ndjson", "--verify", "full");

        List<String> lines = run.err().lines().toList();
        assertThat(lines)
                .filteredOn(line -> line.contains("\"load\""))
                .last()
                .asString()
                .endsWith("\"share\":1.000}");
        assertThat(lines).filteredOn(line -> line.contains("\"verify\"")).allMatch(line -> line.contains("\"share\":"));
    }

    @Test
    void ndjsonProgressIsOneObjectPerLine() throws IOException {
        String shop = file("shop.csv", GOOD);

        CliRun run = load(shop, "--key", "c:{id}", "--as", "hash", "--progress", "ndjson");

        assertThat(run.err().lines()).isNotEmpty().allMatch(line -> line.startsWith("{\"phase\":\"load\",\"rows\":{"));
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
