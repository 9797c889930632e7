// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.embedded.EmbeddedRedis;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rejected rows whose values are not those of the source, loaded from the rejects file without and with a correction. */
class RejectsReloadCommandTest {

    private static EmbeddedRedis redis;
    private static Keyspace keyspace;

    @TempDir
    Path folder;

    private Path rejects = Path.of("");

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
        rejects = folder.resolve("rejects.jsonl");
    }

    @Test
    void fieldsBeyondTheLastColumnAreInTheRejectsFileAndTheRowIsNotLoaded() throws IOException {
        reject(csv("id,name\n1,Smith, John\n2,\"x\"y\n"));

        assertThat(Files.readString(rejects)).contains("\"row\":[\"1\",\"Smith\",\" John\"]");
        assertNoRowIsLoaded();
    }

    @Test
    void textAfterAQuoteIsNotLoadedBeforeItIsCorrected() throws IOException {
        reject(csv("id,name\n1,\"3\"x\n"));
        assertNoRowIsLoaded();

        correct("\"incorrect\":[\"name\"],", "");
        correct("3\\\"x", "3");

        assertThat(reload().code()).isZero();
        assertThat(keyspace.hash("c:1")).isEqualTo(Map.of("id", "1", "name", "3"));
    }

    @Test
    void valueOfAnotherTypeIsNotLoaded() throws IOException {
        reject(csv("id,age\n1,old\n"), "--types", "age:int");

        assertThat(Files.readString(rejects))
                .contains("\"incorrect\":[\"age\"],\"row\":{\"id\":\"1\",\"age\":\"old\"}");
        assertNoRowIsLoaded();
    }

    @Test
    void everyValueThatIsNotUtf8IsNamed() throws IOException {
        byte[] bytes = "id,name,city\n1,\"a\"b,M\u00FCnchen\n".getBytes(StandardCharsets.ISO_8859_1);
        reject(Files.write(folder.resolve("shop.csv"), bytes).toString());

        assertThat(Files.readString(rejects)).contains("\"incorrect\":[\"name\",\"city\"]");
        assertNoRowIsLoaded();
    }

    @Test
    void valueThatADatabaseCannotDeliverIsNotLoadedAsNull() throws IOException {
        reject("jdbc:h2:mem:", "--query", "SELECT 1 AS \"id\", CAST('NaN' AS DECFLOAT) AS \"n\"");

        assertThat(Files.readString(rejects)).contains("\"incorrect\":[\"n\"],\"row\":{\"id\":1,\"n\":null}");
        assertNoRowIsLoaded();
    }

    @Test
    void textOfADatabaseThatIsNotUtf8IsNotLoadedWithReplacementCharacters() throws IOException {
        reject("jdbc:sqlite::memory:", "--query", "SELECT 1 AS id, CAST(x'61FF' AS TEXT) AS t");

        assertThat(Files.readString(rejects)).contains("\"incorrect\":[\"t\"]");
        assertNoRowIsLoaded();
    }

    @Test
    void malformedRecordOfWhichOnlyTheBeginningIsKeptIsMarked() throws IOException {
        String good = "{\"id\":0,\"name\":\"x\"}\n";
        String small = "{\"id\":1,\"name\":x}\n";
        String large = "{\"id\":2,\"name\":\"" + "y".repeat(2_000) + "\",}\n";
        reject(Files.writeString(folder.resolve("shop.jsonl"), good + small + large)
                .toString());

        List<String> lines = Files.readAllLines(rejects);
        assertThat(lines.get(0)).doesNotContain("\"cut\"");
        assertThat(lines.get(1)).contains("\"cut\":[1],\"row\":[\"{\\\"id\\\":2");
    }

    private String csv(String text) throws IOException {
        return Files.writeString(folder.resolve("shop.csv"), text).toString();
    }

    private void reject(String source, String... more) {
        CliRun run = load(source, CliRun.args(List.of("--rejects", rejects.toString()), more));

        assertThat(run.code()).as(run.err()).isEqualTo(3);
        keyspace.clear();
    }

    private void correct(String wrong, String right) throws IOException {
        assertThat(Files.readString(rejects)).contains(wrong);
        Files.writeString(rejects, Files.readString(rejects).replace(wrong, right));
    }

    private void assertNoRowIsLoaded() {
        CliRun run = reload();

        assertThat(run.code()).as(run.err()).isEqualTo(3);
        assertThat(run.lastLine()).contains(", written: 0, ");
        assertThat(keyspace.size()).isZero();
    }

    private CliRun reload() {
        return load(rejects.toString());
    }

    private static CliRun load(String source, String... more) {
        return CliRun.of(CliRun.args(
                List.of("load", source, "--key", "c:{id}", "--as", "hash", "-p", Integer.toString(redis.port())),
                more));
    }
}
