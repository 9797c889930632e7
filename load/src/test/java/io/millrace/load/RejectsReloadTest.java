// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.load.source.Column;
import io.millrace.load.source.CsvOptions;
import io.millrace.load.source.CsvSource;
import io.millrace.load.source.JsonOptions;
import io.millrace.load.source.JsonSource;
import io.millrace.load.source.Rejection;
import io.millrace.load.source.Rejection.Reason;
import io.millrace.load.source.Row;
import io.millrace.load.source.RowReader;
import io.millrace.load.source.SourceException;
import io.millrace.load.target.Repetition;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RejectsReloadTest {

    private static final Rejection BY_SERVER = new Rejection(Reason.SERVER_ERROR, "WRONGTYPE x");
    private static final List<Column> COLUMNS = List.of(new Column("id"), new Column("a.b"), new Column("c"));

    @TempDir
    private Path folder;

    @Test
    void rejectedRowsAreReadAgainWithTheirColumnsValuesAndKinds() throws IOException {
        Path file = folder.resolve("rejects.jsonl");
        Row text = row();
        text.add(1);
        text.add(Row.Kind.TEXT, "größe \"\\\n🌊");
        text.addNull();
        Row binary = row();
        binary.add(Row.Kind.TEXT, "2");
        binary.add(Row.Kind.BYTES, new byte[] {0, -1});
        binary.add(true);
        Row nested = row();
        nested.add(Row.Kind.NUMBER, "1.50");
        nested.add(Row.Kind.JSON, "{\"x\": [1,\n2]}");
        nested.add(Row.Kind.TEXT, "");
        write(file, BY_SERVER, text, binary, nested);

        List<Row> rows = read(file);

        assertThat(Files.readAllLines(file)).hasSize(3);
        assertThat(rows).hasSize(3);
        assertEqual(rows.get(0), text);
        assertEqual(rows.get(1), binary);
        assertThat(rows.get(2).text(1)).isEqualTo("{\"x\": [1, 2]}");
        assertThat(rows.get(2).kind(1)).isEqualTo(Row.Kind.JSON);
        assertThat(rows.get(2).kind(2)).isEqualTo(Row.Kind.TEXT);
    }

    @Test
    void rowThatDoesNotFitItsColumnsIsRejectedAgain() throws IOException {
        Path file = folder.resolve("rejects.jsonl");
        Row good = row();
        good.add(1);
        good.addNull();
        good.addNull();
        Row tooFew = row();
        tooFew.add(2);
        write(file, BY_SERVER, good, tooFew);

        List<Row> rows = read(file);

        assertThat(rows.get(0).isRejected()).isFalse();
        assertThat(rows.get(1).rejection().orElseThrow().message())
                .startsWith("the values of this rejected row do not fit the columns.");
    }

    @Test
    void valueThatIsNotUtf8IsRejectedAgainUntilItIsCorrected() throws IOException {
        Path file = folder.resolve("rejects.jsonl");
        byte[] csv = "id,a.b,c\n1,x\u00FF,\n".getBytes(StandardCharsets.ISO_8859_1);
        try (RowReader reader = CsvSource.of(new ByteArrayInputStream(csv), "shop.csv", CsvOptions.defaults())
                .open()) {
            Row bad = new Row();
            assertThat(reader.next(bad)).isTrue();
            write(file, bad.rejection().orElseThrow(), bad);
        }

        assertThat(read(file).getFirst().rejection().orElseThrow())
                .isEqualTo(new Rejection(
                        Reason.UNREADABLE_VALUE,
                        "these columns of the rejected row have no correct values: [\"a.b\"]. Correct the values, and"
                                + " remove the member 'incorrect', or load the row from its source"));

        Files.writeString(
                file,
                Files.readString(file)
                        .replace("{\"base64\":\"eP8=\"}", "\"corrected\"")
                        .replace("\"incorrect\":[\"a.b\"],", ""));
        assertThat(read(file).getFirst().isRejected()).isFalse();
        assertThat(read(file).getFirst().text(1)).isEqualTo("corrected");
    }

    @Test
    void rowThatItsSourceRejectedWithoutNamingAColumnIsRejectedAgain() throws IOException {
        Path file = folder.resolve("rejects.jsonl");
        Row bad = row();
        bad.add(1);
        bad.addNull();
        bad.addNull();
        bad.reject(Reason.UNREADABLE_VALUE, "broken");
        write(file, bad.rejection().orElseThrow(), bad);

        assertThat(read(file).getFirst().isRejected()).isTrue();
    }

    @Test
    void valueOfWhichOnlyTheBeginningIsKeptIsRejectedAgain() throws IOException {
        Path file = folder.resolve("rejects.jsonl");
        CsvOptions options = CsvOptions.builder().fieldLimitBytes(4).build();
        try (RowReader reader = csv("id,a.b,c\n1,abcdefgh,x\n", options).open()) {
            Row cut = new Row();
            assertThat(reader.next(cut)).isTrue();
            write(file, cut.rejection().orElseThrow(), cut);
        }

        assertThat(read(file).getFirst().rejection().orElseThrow().reason()).isEqualTo(Reason.FIELD_TOO_LONG);
    }

    @Test
    void lineAboutUnconfirmedRowsIsRejectedAndTheRowsAroundAreRead() throws IOException {
        Path file = folder.resolve("rejects.jsonl");
        Row row = row();
        row.add(1);
        row.addNull();
        row.addNull();
        try (RejectsFile rejects = RejectsFile.open(file, "shop.csv", COLUMNS)) {
            rejects.addUnconfirmed(new RowRange(3, 9, 4, 10, 7, ""), Repetition.CHANGES_NOTHING);
            rejects.add(row, new byte[0], 0, BY_SERVER);
        }

        List<Row> rows = read(file);

        assertThat(rows.get(0).rejection().orElseThrow().message())
                .startsWith("this line names rows without their values");
        assertThat(rows.get(1).isRejected()).isFalse();
    }

    private static CsvSource csv(String text, CsvOptions options) {
        return CsvSource.of(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), "shop.csv", options);
    }

    @Test
    void namedColumnsReadTheLinesOfTheFileThemselves() throws IOException {
        Path file = folder.resolve("rejects.jsonl");
        Row row = row();
        row.add(7);
        row.addNull();
        row.addNull();
        write(file, BY_SERVER, row);

        try (RowReader reader = JsonSource.of(file, JsonOptions.defaults().withColumns(List.of("reason", "row.id")))
                .open()) {
            Row read = new Row();
            assertThat(reader.next(read)).isTrue();
            assertThat(read.text(0)).isEqualTo("server-error");
            assertThat(read.text(1)).isEqualTo("7");
        }
    }

    @Test
    void fileWithoutARowThatFitsIsRefused() throws IOException {
        Path file = folder.resolve("rejects.jsonl");
        Row tooFew = row();
        tooFew.add(2);
        write(file, BY_SERVER, tooFew);

        assertThatThrownBy(() -> read(file)).isInstanceOf(SourceException.class);
    }

    private static Row row() {
        Row row = new Row();
        row.clear(1, 2);
        return row;
    }

    private static void write(Path file, Rejection rejection, Row... rows) {
        try (RejectsFile rejects = RejectsFile.open(file, "shop.csv", COLUMNS)) {
            for (Row row : rows) {
                rejects.add(row, "k".getBytes(StandardCharsets.US_ASCII), 1, rejection);
            }
        }
    }

    private static List<Row> read(Path file) {
        List<Row> rows = new ArrayList<>();
        try (RowReader reader = JsonSource.of(file, JsonOptions.defaults()).open()) {
            assertThat(reader.columns()).isEqualTo(COLUMNS);
            Row row = new Row();
            while (reader.next(row)) {
                rows.add(row);
                row = new Row();
            }
        }
        return rows;
    }

    private static void assertEqual(Row found, Row expected) {
        assertThat(found.isRejected()).as(found.rejection().toString()).isFalse();
        assertThat(found.size()).isEqualTo(expected.size());
        for (int i = 0; i < expected.size(); i++) {
            assertThat(found.kind(i)).isEqualTo(expected.kind(i));
            assertThat(found.text(i)).isEqualTo(expected.text(i));
        }
    }
}
