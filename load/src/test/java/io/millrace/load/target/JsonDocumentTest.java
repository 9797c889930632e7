// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class JsonDocumentTest {

    private static final JsonMapper PARSER = new JsonMapper();
    private static final JsonTarget TARGET = JsonTarget.of("k:{a}");

    @Test
    void everyKindOfValueIsWrittenAsItsJsonType() {
        JsonDocument documents = documents(TARGET, "n", "d", "t", "f", "s", "b");
        Row row = Rows.row(-42, new BigDecimal("1.50"), true, false, "a\"\\\n\u0001ü😀", new byte[] {0, -1, 62});

        String document = render(documents, row);

        assertThat(document)
                .isEqualTo("{\"n\":-42,\"d\":1.50,\"t\":true,\"f\":false,"
                        + "\"s\":\"a\\\"\\\\\\n\\u0001ü😀\",\"b\":\"AP8+\"}");
    }

    @Test
    void columnThatIsNullIsLeftOutOfTheDocument() {
        JsonDocument documents = documents(TARGET, "a", "b", "c");

        String document = render(documents, Rows.row(1, Rows.NULL, ""));

        assertThat(document).isEqualTo("{\"a\":1,\"c\":\"\"}");
    }

    @Test
    void textForNullIsWrittenAsAString() {
        JsonDocument documents = documents(TARGET.withNullText("null"), "a", "b");

        String document = render(documents, Rows.row(1, Rows.NULL));

        assertThat(document).isEqualTo("{\"a\":1,\"b\":\"null\"}");
    }

    @Test
    void jsonNullIsWrittenWithoutQuotes() {
        JsonDocument documents = documents(TARGET.withJsonNull(), "a", "b");

        String document = render(documents, Rows.row(1, Rows.NULL));

        assertThat(document).isEqualTo("{\"a\":1,\"b\":null}");
    }

    @Test
    void jsonValueIsWrittenAsItIs() {
        Row row = new Row();
        row.clear(1, 0);
        row.add(1);
        row.add(Row.Kind.JSON, "{\"größe\": [1, \"2\", null]}");
        row.add(Row.Kind.JSON, "null");

        String document = render(documents(TARGET, "a", "b", "c"), row);

        assertThat(document).isEqualTo("{\"a\":1,\"b\":{\"größe\": [1, \"2\", null]},\"c\":null}");
    }

    @Test
    void rowOfNullsIsRejected() {
        Row row = Rows.row(Rows.NULL, Rows.NULL);

        assertThat(documents(TARGET, "a", "b").checkValue(row))
                .contains(
                        new Rejection(Rejection.Reason.NO_VALUE, "nothing to write: columns=2 (all columns are NULL)"));
        assertThat(documents(TARGET.withNullText("-"), "a", "b").checkValue(row))
                .isEmpty();
    }

    @Test
    void selectedColumnsKeepTheOrderOfTheSelection() {
        JsonDocument documents = documents(TARGET.withFields("c", "a"), "a", "b", "c");

        String document = render(documents, Rows.row(1, 2, 3));

        assertThat(document).isEqualTo("{\"c\":3,\"a\":1}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "NaN",
                "Infinity",
                "+5",
                "007",
                "-",
                "1.",
                ".5",
                "1e",
                "1e+",
                "0x1F",
                "1 ",
                "1,5",
                "--1",
                "01.5",
                "1a"
            })
    void numberThatJsonDoesNotAllowIsWrittenAsAString(String text) {
        Row row = Rows.row();
        row.add(Row.Kind.NUMBER, text);

        String document = render(documents(TARGET, "a"), row);

        assertThat(document).isEqualTo("{\"a\":\"" + text + "\"}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0",
                "-0",
                "10",
                "0.0",
                "-12.50",
                "1e5",
                "1E-7",
                "2.5e+10",
                "123456789012345678901234567890.123456789"
            })
    void numberKeepsAllItsDigits(String text) {
        Row row = Rows.row();
        row.add(Row.Kind.NUMBER, text);

        String document = render(documents(TARGET, "a"), row);

        assertThat(document).isEqualTo("{\"a\":" + text + "}");
        assertThat(PARSER.readTree(document).get("a").isNumber()).isTrue();
    }

    @Test
    void numberLongerThanEveryBufferIsWritten() {
        Row row = Rows.row();
        String digits = "7".repeat(50_000);
        row.add(Row.Kind.NUMBER, digits);

        String document = render(documents(TARGET, "a"), row);

        assertThat(document).isEqualTo("{\"a\":" + digits + "}");
    }

    @Test
    void randomTextAndNamesAreUnchangedAfterRenderingAndParsing() {
        long seed = new Random().nextLong();
        System.out.println("JsonDocumentTest: seed=" + seed);
        Random random = new Random(seed);
        for (int round = 0; round < 5_000; round++) {
            String name = "n" + RandomText.next(random);
            JsonDocument documents = documents(TARGET, name, "b");
            String text = RandomText.next(random);
            byte[] bytes = new byte[random.nextInt(100)];
            random.nextBytes(bytes);

            render(documents, Rows.row("the one before", bytes));
            JsonNode parsed = PARSER.readTree(render(documents, Rows.row(text, bytes)));

            assertThat(parsed.size()).as("seed=%d, round=%d", seed, round).isEqualTo(2);
            assertThat(parsed.get(name).asString())
                    .as("seed=%d, round=%d", seed, round)
                    .isEqualTo(text);
            assertThat(Base64.getDecoder().decode(parsed.get("b").asString())).isEqualTo(bytes);
        }
    }

    @Test
    void eachCharacterIsEscapedAsJacksonEscapesIt() {
        for (int c = 0; c < 0x300; c++) {
            String text = "a" + Character.toString(c) + "b" + Character.toString(c);

            String document = render(documents(TARGET.withNullText(text), text, "b"), Rows.row(text, Rows.NULL));

            String quoted = jackson(text);
            assertThat(document).isEqualTo("{" + quoted + ":" + quoted + ",\"b\":" + quoted + "}");
        }
    }

    /** The buffer may already have bytes, for example the bytes of an earlier value. The document is appended. */
    @Test
    void documentIsAppended() {
        Bytes out = new Bytes().append((byte) '-');

        documents(TARGET, "a").render(Rows.row(1), out);

        assertThat(new String(out.copy(), StandardCharsets.UTF_8)).isEqualTo("-{\"a\":1}");
    }

    /** A JSON string as Jackson's generator writes it from UTF-8. */
    private static String jackson(String text) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator generator = new JsonFactory().createGenerator(ObjectWriteContext.empty(), out)) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            generator.writeUTF8String(bytes, 0, bytes.length);
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    private static JsonDocument documents(JsonTarget target, String... columns) {
        ColumnNames names = new ColumnNames(Rows.columns(columns));
        return new JsonDocument(new SelectedColumns(target, target.columns(), names), names);
    }

    private static String render(JsonDocument documents, Row row) {
        Bytes out = new Bytes();
        documents.render(row, out);
        return new String(out.array(), 0, out.length(), StandardCharsets.UTF_8);
    }
}
