// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.load.source.JsonOptions.Layout;
import io.millrace.load.source.Rejection.Reason;
import io.millrace.load.source.SourceException.Kind;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class JsonBadInputTest {

    private static final JsonOptions ID = JsonOptions.defaults().withColumns(List.of("id"));

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"id\":2",
                "{\"id\":}",
                "{\"id\":2,}",
                "{\"id\":02}",
                "{\"id\":2} x",
                "{\"id\":2}{\"id\":3}",
                "{id:2}",
                "{\"id\":'2'}",
                "{\"id\":tru}",
                "{\"id\":\"\\x\"}",
                "{\"id\":\"a\tb\"}",
                "{\"id\":NaN}",
                "{\"id\":\"open}",
                "[1]",
                "\"text\"",
                "null",
                "nonsense",
                "{\"id\":2,\"id\":3}",
                "{\"id\":\"\\ud83c\"}",
            })
    void onlyTheMalformedLineIsRejectedWithItsLineAndItsBeginning(String bad) {
        List<Rows.Read> rows = Rows.read(source("{\"id\":1}\n" + bad + "\n{\"id\":9}\n", ID));

        assertThat(rows).hasSize(3);
        assertThat(rows.get(1).rejection()).startsWith("MALFORMED_JSON: ");
        assertThat(rows.get(1).line()).isEqualTo(2);
        assertThat(rows.get(1).values()).isNotEmpty();
        assertThat(rows.get(2).values()).containsExactly("9");
        assertThat(rows.get(2).rejection()).isEmpty();
    }

    @Test
    void messageHasThePlaceInTheRecord() {
        List<Rows.Read> rows = Rows.read(source("{\"id\":1}\n{\"id\":x}\n", ID));

        assertThat(rows.get(1).rejection())
                .startsWith("MALFORMED_JSON: the record is not valid JSON after ")
                .contains("bytes: ")
                .contains("'x'");
        assertThat(rows.get(1).values()).containsExactly("{\"id\":x}", Rows.NULL);
    }

    @Test
    void recordThatIsNotUtf8IsRejected() {
        byte[] record = "{\"id\":\"aé\"}\n{\"id\":2}\n".getBytes(StandardCharsets.ISO_8859_1);

        List<Rows.Read> rows = Rows.read(JsonSource.of(new ByteArrayInputStream(record), "test.jsonl", ID));

        assertThat(rows)
                .extracting(Rows.Read::rejection)
                .containsExactly("NOT_UTF8: the record is not UTF-8: byte 0xE9 after 8 bytes", "");
    }

    @Test
    void malformedElementOfAnArrayIsRejectedIfItsBracketsAreInPairs() {
        List<Rows.Read> rows =
                Rows.read(source("[{\"id\":1},{\"id\":},17,[{}],{\"id\":2}]", ID.withLayout(Layout.DOCUMENT)));

        assertThat(rows).extracting(row -> row.rejection().isEmpty()).containsExactly(true, false, false, false, true);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"[{\"id\":1},{\"id\":2", "[{\"id\":1},", "[{\"id\":1}", "[{\"id\":1}{\"id\":2}]", "{\"id\":1},{}"
            })
    void arrayThatIsNotCompleteEndsTheSourceWithAnError(String document) {
        Row row = new Row();
        try (RowReader reader = source(document, ID.withLayout(Layout.DOCUMENT)).open()) {
            assertThat(reader.next(row)).isTrue();
            assertThat(row.text(0)).isEqualTo("1");

            assertThatThrownBy(() -> {
                        while (reader.next(row)) {
                            assertThat(row.isRejected()).isTrue();
                        }
                    })
                    .isInstanceOfSatisfying(
                            SourceException.class, e -> assertThat(e.kind()).isEqualTo(Kind.BROKEN));
        }
    }

    @Test
    void failureAfterTheFirstRecordsEndsTheSourceAfterTheirRows() {
        RowSource source =
                source("[{\"id\":1},{\"id\":2},,", JsonOptions.defaults().withLayout(Layout.DOCUMENT));
        Row row = new Row();

        try (RowReader reader = source.open()) {
            assertThat(reader.next(row)).isTrue();
            assertThat(reader.next(row)).isTrue();
            assertThatThrownBy(() -> reader.next(row)).hasMessageContaining("unexpected ',' between records");
        }
    }

    @Test
    void tooDeepRecordIsRejectedAndReadingContinues() {
        String deep = "{\"id\":" + "[".repeat(100_000) + "]".repeat(100_000) + "}";

        List<Rows.Read> rows = Rows.read(source(deep + "\n{\"id\":2}\n", ID));

        assertThat(rows.getFirst().rejection()).startsWith("MALFORMED_JSON: ").contains("nesting depth");
        assertThat(rows.getFirst().values().getFirst()).hasSize(1_024);
        assertThat(rows.get(1).values()).containsExactly("2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"LINES", "DOCUMENT"})
    void recordMayBeLargerThanTheHeap(String layout) {
        long more = Runtime.getRuntime().maxMemory() + (64 << 20);
        byte[] end = "\"}\n{\"id\":2}\n".getBytes(StandardCharsets.US_ASCII);
        InputStream in = new SequenceInputStream(
                new SequenceInputStream(
                        new ByteArrayInputStream("{\"id\":\"".getBytes(StandardCharsets.US_ASCII)), new Letters(more)),
                new ByteArrayInputStream(end));
        JsonOptions options = ID.withLayout(Layout.valueOf(layout)).withRecordLimitBytes(1 << 20);

        List<Rows.Read> rows = Rows.read(JsonSource.of(in, "huge", options));

        assertThat(rows).hasSize(2);
        assertThat(rows.getFirst().rejection()).startsWith(Reason.RECORD_TOO_LONG + ": ");
        assertThat(rows.getFirst().values().getFirst()).hasSize(1_024);
        assertThat(rows.get(1).values()).containsExactly("2");
    }

    @Test
    void namesThatNeverRepeatNeedLittleMemory() {
        StringBuilder records = new StringBuilder();
        for (int i = 0; i < 200_000; i++) {
            records.append("{\"id\":")
                    .append(i)
                    .append(",\"m\":{\"name-")
                    .append(i)
                    .append("\":1}}\n");
        }

        List<Rows.Read> rows = Rows.read(source(records.toString(), ID));

        assertThat(rows).hasSize(200_000);
        assertThat(rows).allSatisfy(row -> assertThat(row.rejection()).isEmpty());
    }

    private static RowSource source(String text, JsonOptions options) {
        return JsonSource.of(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), "test.jsonl", options);
    }

    /** A stream of letters x. */
    private static final class Letters extends InputStream {

        private long left;

        Letters(long left) {
            this.left = left;
        }

        @Override
        public int read() throws IOException {
            return left-- > 0 ? 'x' : -1;
        }

        @Override
        public int read(byte[] into, int offset, int length) {
            if (left <= 0) {
                return -1;
            }
            int count = (int) Math.min(left, length);
            Arrays.fill(into, offset, offset + count, (byte) 'x');
            left -= count;
            return count;
        }
    }
}
