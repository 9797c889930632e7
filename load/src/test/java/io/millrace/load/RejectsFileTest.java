// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.load.source.Rejection;
import io.millrace.load.source.Rejection.Reason;
import io.millrace.load.source.Row;
import io.millrace.load.target.PlanException;
import io.millrace.load.target.RandomText;
import io.millrace.load.target.Repetition;
import io.millrace.load.target.Rows;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class RejectsFileTest {

    private static final JsonMapper PARSER = new JsonMapper();
    private static final Rejection WRONG_TYPE =
            new Rejection(Reason.SERVER_ERROR, "WRONGTYPE Operation against a key holding the wrong kind of value");

    @TempDir
    private Path directory;

    @Test
    void rejectedRowIsOneLineWithAllItsValues() throws IOException {
        Path path = directory.resolve("rejects.jsonl");
        Row row = Rows.row(17, "Ada", Rows.NULL, true, new byte[] {-1, 0});

        try (RejectsFile rejects = open(path, "id", "name", "city", "vip", "photo")) {
            rejects.add(row, bytes("customer:17…"), 11, WRONG_TYPE);
            assertThat(rejects.rows()).isEqualTo(1);
        }

        assertThat(path)
                .hasContent("{\"source\":\"shop.csv\",\"number\":1,\"line\":2,\"key\":\"customer:17\","
                        + "\"reason\":\"server-error\","
                        + "\"message\":\"WRONGTYPE Operation against a key holding the wrong kind of value\","
                        + "\"attempt\":1,"
                        + "\"row\":{\"id\":17,\"name\":\"Ada\",\"city\":null,\"vip\":true,"
                        + "\"photo\":{\"base64\":\"/wA=\"}}}\n");
    }

    @Test
    void rangeOfUnconfirmedRowsIsOneLine() throws IOException {
        Path path = directory.resolve("rejects.jsonl");

        try (RejectsFile rejects = open(path, "id")) {
            rejects.addUnconfirmed(new RowRange(17, 90, 18, 91, 74, ""), Repetition.CHANGES_NOTHING);
            rejects.addUnconfirmed(new RowRange(95, 95, 4, 4, 1, "b.csv"), Repetition.ADDS_ROW_AGAIN);
        }

        assertThat(path)
                .hasContent("{\"source\":\"shop.csv\",\"number\":17,\"line\":18,\"lastNumber\":90,\"lastLine\":91,"
                        + "\"reason\":\"unconfirmed\",\"message\":\"74 of these rows may or may not have been written:"
                        + " their commands got no reply. Load these rows again; writing the same row twice changes nothing.\","
                        + "\"attempt\":1}\n"
                        + "{\"source\":\"b.csv\",\"number\":95,\"line\":4,\"lastNumber\":95,\"lastLine\":4,"
                        + "\"reason\":\"unconfirmed\",\"message\":\"1 of these rows may or may not have been written:"
                        + " their commands got no reply. Do not load these rows again before you have checked the key:"
                        + " a row that was written would be added a second time.\",\"attempt\":1}\n");
    }

    @Test
    void waitingRowIsWrittenAfterASecond() throws IOException {
        Path path = directory.resolve("rejects.jsonl");
        try (RejectsFile rejects = open(path, "id")) {
            rejects.add(Rows.row(1), bytes(""), 0, WRONG_TYPE);

            long deadline = System.nanoTime() + 60_000_000_000L;
            while (Files.size(path) == 0 && System.nanoTime() < deadline) {
                rejects.flushIfDue();
                java.util.concurrent.locks.LockSupport.parkNanos(10_000_000);
            }

            assertThat(path)
                    .content()
                    .startsWith("{\"source\":\"shop.csv\",\"number\":1,")
                    .endsWith("}\n");
        }
    }

    @Test
    void lineAndKeyAreAbsentIfTheRowHasNone() throws IOException {
        Path path = directory.resolve("rejects.jsonl");
        Row row = new Row();
        row.clear(3, 0);
        row.addNull();

        try (RejectsFile rejects = open(path, "id")) {
            add(rejects, row, new Rejection(Reason.KEY_EMPTY, "no key"));
        }

        assertThat(path)
                .hasContent("{\"source\":\"shop.csv\",\"number\":3,\"reason\":\"key-empty\",\"message\":\"no key\","
                        + "\"attempt\":1,\"row\":{\"id\":null}}\n");
    }

    @Test
    void recordWithAWrongNumberOfFieldsIsWrittenAsAnArray() throws IOException {
        Path path = directory.resolve("rejects.jsonl");

        try (RejectsFile rejects = open(path, "id", "name")) {
            add(rejects, Rows.row("1"), new Rejection(Reason.TOO_FEW_FIELDS, "1 of 2"));
            add(rejects, Rows.row("1", "2", "3"), new Rejection(Reason.TOO_MANY_FIELDS, "3 of 2"));
            add(rejects, Rows.row(), new Rejection(Reason.TOO_FEW_FIELDS, "0 of 2"));
        }

        assertThat(lines(path).stream().map(line -> line.get("row").toString()))
                .containsExactly("[\"1\"]", "[\"1\",\"2\",\"3\"]", "[]");
    }

    @Test
    void columnsWithTheSameNameAreWrittenAsAnArray() throws IOException {
        Path path = directory.resolve("rejects.jsonl");

        try (RejectsFile rejects = open(path, "id", "id")) {
            add(rejects, Rows.row(1, 2), WRONG_TYPE);
        }

        assertThat(lines(path).getFirst().get("row").toString()).isEqualTo("[1,2]");
    }

    @Test
    void invalidUtf8IsWrittenAsBase64() throws IOException {
        Path path = directory.resolve("rejects.jsonl");
        byte[] latin = {'M', (byte) 0xfc, 'l'};
        Row row = Rows.row();
        row.add(Row.Kind.TEXT, latin);
        row.add(Row.Kind.NUMBER, "NaN");

        try (RejectsFile rejects = open(path, "name", "score")) {
            rejects.add(row, latin, 3, new Rejection(Reason.NOT_UTF8, "name is not UTF-8"));
        }

        JsonNode line = lines(path).getFirst();
        assertThat(decoded(line.get("row").get("name"))).isEqualTo(latin);
        assertThat(decoded(line.get("key"))).isEqualTo(latin);
        assertThat(line.get("row").get("score").asString()).isEqualTo("NaN");
    }

    @Test
    void randomTextIsUnchangedAfterWritingAndParsing() throws IOException {
        Path path = directory.resolve("rejects.jsonl");
        long seed = new Random().nextLong();
        System.out.println("RejectsFileTest: seed=" + seed);
        Random random = new Random(seed);
        List<String> texts = new ArrayList<>();

        try (RejectsFile rejects = open(path, "text")) {
            for (int i = 0; i < 3_000; i++) {
                String text = RandomText.next(random);
                texts.add(text);
                byte[] key = bytes(text);
                rejects.add(Rows.row(text), key, key.length, new Rejection(Reason.SERVER_ERROR, text));
            }
        }

        List<JsonNode> lines = lines(path);
        assertThat(lines).as("seed=%d", seed).hasSize(3_000);
        for (int i = 0; i < texts.size(); i++) {
            JsonNode line = lines.get(i);
            assertThat(line.get("row").get("text").asString())
                    .as("seed=%d", seed)
                    .isEqualTo(texts.get(i));
            assertThat(line.get("message").asString()).isEqualTo(texts.get(i));
            assertThat(line.path("key").asString("")).isEqualTo(texts.get(i));
        }
    }

    @Test
    void nonEmptyFileIsRefusedAndUnchanged() throws IOException {
        Path path = directory.resolve("rejects.jsonl");
        Files.writeString(path, "precious\n");

        assertThatThrownBy(() -> open(path, "id"))
                .isInstanceOf(PlanException.class)
                .hasMessage("rejects file is not empty: path=" + path
                        + ", bytes=9. Move the file away, or name another file.");
        assertThat(path).hasContent("precious\n");
    }

    @Test
    void emptyFileIsAccepted() {
        Path path = directory.resolve("rejects.jsonl");

        open(path, "id").close();
        open(path, "id").close();

        assertThat(path).isEmptyFile();
    }

    @Test
    void planExceptionIsThrownIfTheFileCannotBeCreated() {
        Path path = directory.resolve("missing/rejects.jsonl");

        assertThatThrownBy(() -> open(path, "id"))
                .isInstanceOf(PlanException.class)
                .hasMessageStartingWith("rejects file cannot be created: path=" + path + " (FileNotFoundException")
                .hasMessageNotContaining("\n");
        assertThatThrownBy(() -> open(directory, "id")).isInstanceOf(PlanException.class);
    }

    @Test
    void rowsAreWrittenAtAFlushAndWhenTheBufferIsFull() throws IOException {
        Path path = directory.resolve("rejects.jsonl");
        Row row = Rows.row("x".repeat(1_000));
        Row huge = Rows.row("y".repeat(5_000_000));

        try (RejectsFile rejects = open(path, "text")) {
            add(rejects, row, WRONG_TYPE);
            assertThat(path).isEmptyFile();
            rejects.flush();
            long one = Files.size(path);
            assertThat(one).isGreaterThan(1_000);

            add(rejects, huge, WRONG_TYPE);
            assertThat(Files.size(path)).isGreaterThan(5_000_000);

            for (int i = 0; i < 1_000; i++) {
                add(rejects, row, WRONG_TYPE);
            }
            assertThat(Files.size(path)).isGreaterThan(5_000_000 + 900 * one);
        }

        assertThat(lines(path)).hasSize(1_002);
    }

    @Test
    void noRowIsLostIfTheThreadIsInterrupted() throws IOException {
        Path path = directory.resolve("rejects.jsonl");

        try (RejectsFile rejects = open(path, "id")) {
            Thread.currentThread().interrupt();
            add(rejects, Rows.row(1), WRONG_TYPE);
            rejects.flush();
            add(rejects, Rows.row(2), WRONG_TYPE);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }

        assertThat(lines(path)).hasSize(2);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void flushThrowsIfTheDiskIsFullAndCloseDoesNotThrowAgain() {
        Path full = Path.of("/dev/full");
        RejectsFile rejects = open(full, "id");
        add(rejects, Rows.row(1), WRONG_TYPE);

        UncheckedIOException failure = catchThrowableOfType(UncheckedIOException.class, rejects::flush);

        // The operating system words the cause, in its language.
        assertThat(failure)
                .hasMessage("rejects file cannot be written: path=/dev/full, rows=1 (IOException: "
                        + Objects.requireNonNull(failure.getCause()).getMessage()
                        + "). Free disk space or name another file, and load again.");
        assertThatThrownBy(rejects::flush).isInstanceOf(UncheckedIOException.class);
        rejects.close();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void closeThrowsIfTheDiskIsFull() {
        RejectsFile rejects = open(Path.of("/dev/full"), "id");
        add(rejects, Rows.row(1), WRONG_TYPE);

        assertThatThrownBy(rejects::close).isInstanceOf(UncheckedIOException.class);
        rejects.close();
    }

    private static void add(RejectsFile rejects, Row row, Rejection rejection) {
        rejects.add(row, new byte[0], 0, rejection);
    }

    private static RejectsFile open(Path path, String... columns) {
        return RejectsFile.open(path, "shop.csv", Rows.columns(columns));
    }

    private static List<JsonNode> lines(Path path) throws IOException {
        return Files.readAllLines(path).stream().map(PARSER::readTree).toList();
    }

    private static byte[] decoded(JsonNode node) {
        return Base64.getDecoder().decode(node.get("base64").asString());
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
