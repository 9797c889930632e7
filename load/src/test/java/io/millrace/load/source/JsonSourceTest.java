// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.load.source.JsonOptions.Layout;
import io.millrace.load.source.Row.Kind;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class JsonSourceTest {

    @Test
    void eachLineIsARowWithTheKindsOfItsValues() {
        List<Rows.Read> rows = Rows.read(lines("""
                {"id":1,"name":"Ada","balance":199.50,"vip":true,"city":null,"tags":["a", "b"],"at":{"x": 1e2}}
                {"id":2,"name":"größe \\u00e4\\n🌊","balance":-1E+3,"vip":false,"city":"Köln","tags":[],"at":{}}
                """));

        assertThat(Rows.values(rows))
                .containsExactly(
                        List.of("1", "Ada", "199.50", "true", Rows.NULL, "[\"a\", \"b\"]", "{\"x\": 1e2}"),
                        List.of("2", "größe ä\n🌊", "-1E+3", "false", "Köln", "[]", "{}"));
        assertThat(rows.getFirst().kinds())
                .containsExactly(Kind.NUMBER, Kind.TEXT, Kind.NUMBER, Kind.BOOLEAN, Kind.NULL, Kind.JSON, Kind.JSON);
        assertThat(rows).extracting(Rows.Read::number).containsExactly(1L, 2L);
        assertThat(rows).extracting(Rows.Read::line).containsExactly(1L, 2L);
    }

    @Test
    void columnsAreTheMembersOfTheFirstRecordsAndMissingMembersAreNull() {
        RowSource source = lines("""
                {"id":1}

                {"name":"Bob","id":2}
                """);

        try (RowReader reader = source.open()) {
            assertThat(Rows.columns(reader)).containsExactly("id", "name");

            List<Rows.Read> rows = Rows.rest(reader);
            assertThat(Rows.values(rows)).containsExactly(List.of("1", Rows.NULL), List.of("2", "Bob"));
            assertThat(rows).extracting(Rows.Read::line).containsExactly(1L, 3L);
        }
    }

    @Test
    void laterMemberThatIsNoColumnRejectsItsRowBecauseItsValueWouldBeLost() {
        String records = "{\"id\":1}\n".repeat(1_000) + "{\"id\":2,\"new\":3}\n{\"id\":4}\n";

        List<Rows.Read> rows = Rows.read(lines(records));

        assertThat(rows).hasSize(1_002);
        assertThat(rows.get(1_000).rejection())
                .startsWith("UNKNOWN_COLUMN: the member 'new' is in none of the first records");
        assertThat(rows.get(1_000).values()).containsExactly("{\"id\":2,\"new\":3}", Rows.NULL);
        assertThat(rows.get(1_000).kinds().getFirst()).isEqualTo(Kind.JSON);
        assertThat(rows.get(1_001).rejection()).isEmpty();
    }

    @Test
    void namedColumnsSelectNestedValuesByPath() {
        JsonOptions options =
                JsonOptions.defaults().withColumns(List.of("id", "address.city", "tags.1", "address", "a.b", "none.x"));
        RowSource source = source("""
                {"id":1,"address":{"city":"Rome","zip":"00100"},"tags":["x","y"],"a.b":7,"other":[{"id":9}]}
                {"tags":"text","address":null,"id":2,"a":{"b":8}}
                """, options);

        List<Rows.Read> rows = Rows.read(source);

        assertThat(rows).extracting(Rows.Read::rejection).containsOnly("");
        assertThat(Rows.values(rows))
                .containsExactly(
                        List.of("1", "Rome", "y", "{\"city\":\"Rome\",\"zip\":\"00100\"}", "7", Rows.NULL),
                        List.of("2", Rows.NULL, Rows.NULL, Rows.NULL, "8", Rows.NULL));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[{\"id\":1},{\"id\":2},{\"id\":3}]",
                " [ {\n\"id\" : 1 }\n,\n{ \"id\":2 },{\"id\":3}\n]\n",
                "{\"id\":1}{\"id\":2}\n{\n\"id\":3\n}",
                "[{\"id\":1}] [{\"id\":2},{\"id\":3}]",
                "\uFEFF[{\"id\":1},{\"id\":2},{\"id\":3}]",
            })
    void documentIsAnArrayOrASequenceOfRecords(String document) {
        JsonOptions options = JsonOptions.defaults().withLayout(Layout.DOCUMENT);

        assertThat(Rows.values(Rows.read(source(document, options))))
                .containsExactly(List.of("1"), List.of("2"), List.of("3"));
    }

    @Test
    void recordsAndStringsMayContainBracketsAndQuotes() {
        String document = "[{\"id\":1,\"t\":\"}]{[\\\"\\\\\"},{\"id\":2,\"t\":\"\\\\\"}]";

        List<Rows.Read> rows = Rows.read(source(document, JsonOptions.defaults().withLayout(Layout.DOCUMENT)));

        assertThat(Rows.values(rows)).containsExactly(List.of("1", "}]{[\"\\"), List.of("2", "\\"));
    }

    @Test
    void recordLongerThanTheBufferIsReadInBothLayouts() {
        String text = "x".repeat(200_000);
        String first = "{\"id\":1,\"t\":\"" + text + "\",\"n\":[" + "1,".repeat(50_000) + "1]}";

        List<Rows.Read> lines = Rows.read(lines(first + "\n{\"id\":2,\"t\":\"y\",\"n\":[]}"));
        List<Rows.Read> array = Rows.read(source(
                "[" + first + ",{\"id\":2,\"t\":\"y\",\"n\":[]}]",
                JsonOptions.defaults().withLayout(Layout.DOCUMENT)));

        assertThat(Rows.values(lines)).isEqualTo(Rows.values(array));
        assertThat(lines.getFirst().values().get(1)).isEqualTo(text);
        assertThat(lines.getFirst().values().get(2)).hasSize(100_003);
    }

    @Test
    void windowsLineEndsBelongToNoValue() {
        assertThat(Rows.values(Rows.read(lines("{\"a\":\"x\"}\r\n{\"a\":\"y\"}\r\n"))))
                .containsExactly(List.of("x"), List.of("y"));
    }

    @Test
    void namesOfFilesSelectTheLayout() {
        assertThat(JsonOptions.defaults().layoutFor("a.JSON.gz")).isEqualTo(Layout.DOCUMENT);
        assertThat(JsonOptions.defaults().layoutFor("a.jsonl.zst")).isEqualTo(Layout.LINES);
        assertThat(JsonOptions.defaults().layoutFor("standard input")).isEqualTo(Layout.LINES);
    }

    @Test
    void emptyInputAndInputWithoutObjectsAreRefused(@TempDir Path folder) throws IOException {
        Path empty = Files.createFile(folder.resolve("empty.jsonl"));

        assertThatThrownBy(() -> JsonSource.of(empty, JsonOptions.defaults()).open())
                .isInstanceOf(SourceException.class)
                .hasMessage("cannot read " + empty + ": it has no records. Name the columns, or check the format.");
        assertThatThrownBy(() -> lines("1\n2\n").open())
                .hasMessage("cannot read test.jsonl: its first records are no JSON objects. Name the columns, or check"
                        + " the format.");
        assertThat(Rows.read(source("", JsonOptions.defaults().withColumns(List.of("id")))))
                .isEmpty();
    }

    @Test
    void blockedReadCanBeCancelled() throws Exception {
        Pipe pipe = Pipe.open();
        try (Pipe.SinkChannel sink = pipe.sink()) {
            ByteBuffer two = ByteBuffer.wrap("{\"id\":1}\n{\"id\":2}\n".getBytes(StandardCharsets.US_ASCII));
            while (two.hasRemaining()) {
                sink.write(two);
            }
            JsonOptions options = JsonOptions.defaults().withColumns(List.of("id"));

            CancelAssertions.assertCancelEndsReading(
                    JsonSource.of(Channels.newInputStream(pipe.source()), "pipe", options), 2);
        }
    }

    private static RowSource lines(String text) {
        return source(text, JsonOptions.defaults());
    }

    private static RowSource source(String text, JsonOptions options) {
        return JsonSource.of(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), "test.jsonl", options);
    }
}
