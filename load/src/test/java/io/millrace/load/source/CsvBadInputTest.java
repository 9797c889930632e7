// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.load.source.Rejection.Reason;
import io.millrace.load.source.SourceException.Kind;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CsvBadInputTest {

    private static final CsvOptions SMALL_FIELDS =
            CsvOptions.builder().fieldLimitBytes(100_000).build();

    @Test
    void rowWithTooFewFieldsIsRejectedWithItsLine() {
        List<Rows.Read> rows = Rows.read("id,name,city\n1,Ada,London\n2,Bob\n3,Eve,Rome\n");

        assertThat(rows)
                .extracting(Rows.Read::rejection)
                .containsExactly("", "TOO_FEW_FIELDS: 2 of 3 fields; the first missing column is 'city'", "");
        assertThat(rows.get(1).line()).isEqualTo(3);
        assertThat(rows.get(1).values()).containsExactly("2", "Bob");
        assertThat(rows.get(2).values()).containsExactly("3", "Eve", "Rome");
    }

    @Test
    void rowWithTooManyFieldsIsRejected() {
        List<Rows.Read> rows = Rows.read("id,name\n1,Ada,x,\n2,Bob\n");

        assertThat(rows.getFirst().rejection()).isEqualTo("TOO_MANY_FIELDS: 4 fields for 2 columns");
        assertThat(rows.getFirst().values()).containsExactly("1", "Ada", "x", "");
        assertThat(rows.get(1).values()).containsExactly("2", "Bob");
    }

    @Test
    void onlyTheFirstFieldsBeyondTheLastColumnAreKeptAndTheLastOneIsMarked() {
        Row row = new Row();
        String many = ",".repeat(100_000);
        String large = ("," + "x".repeat(50_000)).repeat(10);

        try (RowReader reader = Rows.csv(
                        ("a,b\n1,2" + many + "\n1,2" + large + "\n").getBytes(StandardCharsets.UTF_8),
                        CsvOptions.defaults())
                .open()) {
            assertThat(reader.next(row)).isTrue();
            assertThat(row.size()).isEqualTo(1_002);
            assertThat(row.isCut(1_001)).isTrue();
            assertThat(row.isCut(1_000)).isFalse();
            assertThat(reader.next(row)).isTrue();
            assertThat(row.size()).isEqualTo(4);
            assertThat(row.isCut(3)).isTrue();
            assertThat(row.rejection().orElseThrow().message()).isEqualTo("12 fields for 2 columns");
        }
    }

    @Test
    void onlyTheRowWithTextAfterAClosingQuoteIsRejected() {
        List<Rows.Read> rows = Rows.read("id,name\n1,\"ab\"c\n2,\"x\" \n3,\"a\"\"b\"\"\"c,\"x\ny\"\n4,fine\n");

        assertThat(rows).extracting(Rows.Read::line).containsExactly(2L, 3L, 4L, 6L);
        assertThat(rows.subList(0, 3))
                .allSatisfy(row -> assertThat(row.rejection()).startsWith("TEXT_AFTER_QUOTE: "));
        assertThat(rows.getFirst().rejection())
                .isEqualTo("TEXT_AFTER_QUOTE: 'name' has text after its closing quote; its quote opens on line 2");
        assertThat(rows.getFirst().values()).containsExactly("1", "ab\"c");
        assertThat(rows.get(3).values()).containsExactly("4", "fine");
        assertThat(rows.get(3).rejection()).isEmpty();
    }

    @Test
    void onlyRowsWithInvalidUtf8OfAnyFormAreRejected() throws IOException {
        int[][] malformed = {
            {0x80},
            {0xC3},
            {0xC0, 0x80},
            {0xC1, 0xBF},
            {0xE0, 0x9F, 0x80},
            {0xED, 0xA0, 0x80},
            {0xE2, 0x82},
            {0xF0, 0x8F, 0xBF, 0xBF},
            {0xF4, 0x90, 0x80, 0x80},
            {0xF5, 0x80, 0x80, 0x80},
            {0xFF},
            {0xE2, 0x28, 0xA1},
            {0xF0, 0x9F, 0x8C},
            {0xC3, 0xC3},
        };
        ByteArrayOutputStream csv = new ByteArrayOutputStream();
        csv.writeBytes("id,name\n".getBytes(StandardCharsets.US_ASCII));
        for (int[] bytes : malformed) {
            csv.writeBytes("1,ok".getBytes(StandardCharsets.US_ASCII));
            for (int b : bytes) {
                csv.write(b);
            }
            csv.writeBytes("\n2,gut\n".getBytes(StandardCharsets.US_ASCII));
        }

        List<Rows.Read> rows = Rows.read(Rows.csv(csv.toByteArray(), CsvOptions.defaults()));

        assertThat(rows).hasSize(malformed.length * 2);
        for (int i = 0; i < malformed.length; i++) {
            assertThat(rows.get(2 * i).rejection())
                    .as("case " + i)
                    .startsWith("NOT_UTF8: 'name' is not UTF-8: byte 0x");
            assertThat(rows.get(2 * i + 1).rejection()).as("after case " + i).isEmpty();
        }
        assertThat(rows.getFirst().rejection()).isEqualTo("NOT_UTF8: 'name' is not UTF-8: byte 0x80 after 2 bytes");
    }

    @Test
    void onlyRowsWithBytesThatAreInvalidInTheChosenEncodingAreRejected() {
        Charset encoding = Charset.forName("Shift_JIS");
        byte[] good = "a,b\n漢,1\n".getBytes(encoding);
        byte[] bad = {'x', (byte) 0xA0, ',', '2', '\n', 'y', ',', '3', '\n', 'z', ',', (byte) 0x81};
        byte[] csv = Arrays.copyOf(good, good.length + bad.length);
        System.arraycopy(bad, 0, csv, good.length, bad.length);

        List<Rows.Read> rows =
                Rows.read(Rows.csv(csv, CsvOptions.builder().encoding(encoding).build()));

        assertThat(rows)
                .extracting(Rows.Read::rejection)
                .containsExactly(
                        "",
                        "NOT_UTF8: 'a' contains bytes that are not Shift_JIS, after 1 bytes (counted in UTF-8)",
                        "",
                        "NOT_UTF8: 'b' contains bytes that are not Shift_JIS, after 0 bytes (counted in UTF-8)");
    }

    @Test
    void rowWithAFieldAboveTheLimitIsRejectedAndTheFieldIsTruncated() {
        String big = "x".repeat(100_001);
        String fits = "y".repeat(100_000);

        List<Rows.Read> rows =
                Rows.read("a,b\n" + big + ",1\n2,\"" + big + "\"\n3," + fits + "\n\"" + fits + "\",4\n", SMALL_FIELDS);

        assertThat(rows)
                .extracting(Rows.Read::rejection)
                .containsExactly(
                        "FIELD_TOO_LONG: 'a' is longer than 100,000 bytes",
                        "FIELD_TOO_LONG: 'b' is longer than 100,000 bytes",
                        "",
                        "");
        assertThat(rows.getFirst().values()).containsExactly("x".repeat(1_024), "1");
        assertThat(rows.get(1).values()).containsExactly("2", "x".repeat(1_024));
        assertThat(rows.get(2).values().get(1)).hasSize(100_000);
    }

    @Test
    void unclosedQuoteRejectsItsRowAndEndsTheSource() {
        String csv = "id,name\n1,Ada\n2,\"Bob\n3,Eve\n";
        Row row = new Row();

        try (RowReader reader = Rows.csv(csv.getBytes(StandardCharsets.UTF_8), CsvOptions.defaults())
                .open()) {
            assertThat(reader.next(row)).isTrue();
            assertThat(row.isRejected()).isFalse();
            assertThat(reader.next(row)).isTrue();
            assertThat(row.rejection().orElseThrow().reason()).isEqualTo(Reason.QUOTE_NOT_CLOSED);
            assertThat(row.rejection().orElseThrow().message())
                    .isEqualTo("the quote that opens on line 3 is never closed");
            assertThat(row.line()).isEqualTo(3);

            assertSource(
                    Kind.BROKEN,
                    () -> reader.next(row),
                    "reading test.csv failed: the quote that opens on line 3 is never closed."
                            + " Close the quote, or read the file without a quote character.");
            assertSource(
                    Kind.BROKEN,
                    () -> reader.next(row),
                    "reading test.csv failed: the quote that opens on line 3 is"
                            + " never closed. Close the quote, or read the file without a quote character.");
        }
    }

    @Test
    void fieldWithAnUnclosedQuoteMayBeLargerThanTheHeap() throws IOException {
        byte[] start = "id,name\n1,\"".getBytes(StandardCharsets.US_ASCII);
        long more = Runtime.getRuntime().maxMemory() + (64 << 20);
        InputStream in = new SequenceInputStream(new ByteArrayInputStream(start), new Repeated(more));
        Row row = new Row();

        try (RowReader reader = CsvSource.of(in, "huge", CsvOptions.defaults()).open()) {
            assertThat(reader.next(row)).isTrue();

            assertThat(row.rejection().orElseThrow().reason()).isEqualTo(Reason.QUOTE_NOT_CLOSED);
            assertThat(row.length(1)).isEqualTo(1_024);
            assertThatThrownBy(() -> reader.next(row)).isInstanceOf(SourceException.class);
        }
    }

    @Test
    void exceptionForASourceThatCannotBeOpenedContainsTheReason(@TempDir Path folder) {
        Path missing = folder.resolve("no.csv");

        assertUnusable(
                CsvSource.of(missing, CsvOptions.defaults()), "cannot read " + missing + " (there is no such file)");
        assertUnusable(CsvSource.of(folder, CsvOptions.defaults()), "cannot read " + folder + " (it is a directory)");
    }

    @Test
    void invalidHeaderIsRefused() {
        assertHeader("", "cannot read test.csv: it is empty. The first line must contain the column names.");
        assertHeader("\n\r\n", "cannot read test.csv: it is empty. The first line must contain the column names.");
        assertHeader(
                "a,,c\n", "cannot use the columns of test.csv: column 2 has no name. Give each column a unique name.");
        assertHeader(
                "a,b,a,c,b,a\n",
                "cannot use the columns of test.csv: several columns have the same name: 'a', 'b'."
                        + " Give each column a unique name.");
        assertHeader(
                "a,\"b\"x\n",
                "cannot read the header of test.csv: 'column 2' has text after its closing quote;"
                        + " its quote opens on line 1.");
        assertHeader("a,\"b\n", "cannot read the header of test.csv: the quote that opens on line 1 is never closed.");
        assertUnusable(
                Rows.csv(new byte[] {'a', ',', (byte) 0xE9, '\n'}, CsvOptions.defaults()),
                "cannot read the header of test.csv: 'column 2' is not UTF-8: byte 0xE9 after 0 bytes.");
        assertUnusable(
                Rows.csv(new byte[] {(byte) 0xFF, (byte) 0xFE, 'a', 0}, CsvOptions.defaults()),
                "cannot read test.csv: it is UTF-16. Set the encoding: --encoding UTF-16.");
        assertHeader("x,".repeat(70_000), "cannot read the header of test.csv: it has more than 65,536 columns.");
    }

    @Test
    void exceptionForAStreamThatFailsContainsTheLine() {
        InputStream failing = new SequenceInputStream(
                new ByteArrayInputStream("a\n1\n2\n".getBytes(StandardCharsets.US_ASCII)), new InputStream() {
                    @Override
                    public int read() throws IOException {
                        throw new IOException("disk on fire");
                    }

                    @Override
                    public int read(byte[] into, int offset, int length) throws IOException {
                        throw new IOException("disk on fire");
                    }
                });
        Row row = new Row();

        try (RowReader reader =
                CsvSource.of(failing, "x.csv", CsvOptions.defaults()).open()) {
            assertThat(reader.next(row)).isTrue();
            assertThat(reader.next(row)).isTrue();
            assertSource(
                    Kind.BROKEN,
                    () -> reader.next(row),
                    "reading x.csv failed: line=4 (disk on fire). The rows before this line were read.");
        }
    }

    @Test
    void truncatedCompressedInputIsBroken() throws IOException {
        byte[] whole = gzip("id,name\n" + "1,x\n2,a longer row with some text\n".repeat(40_000));
        InputStream cutInside = gunzip(Arrays.copyOf(whole, whole.length - 20));
        InputStream cutInHeader = gunzip(Arrays.copyOf(whole, 12));
        Row row = new Row();

        try (RowReader reader =
                CsvSource.of(cutInside, "x.csv", CsvOptions.defaults()).open()) {
            assertThatThrownBy(() -> {
                        while (reader.next(row)) {
                            assertThat(row.isRejected()).isFalse();
                        }
                    })
                    .isInstanceOfSatisfying(
                            SourceException.class, e -> assertThat(e.kind()).isEqualTo(Kind.BROKEN))
                    .hasMessageContaining("the compressed input is truncated");
        }
        assertThatThrownBy(() -> CsvSource.of(cutInHeader, "x.csv", CsvOptions.defaults())
                        .open())
                .isInstanceOfSatisfying(
                        SourceException.class, e -> assertThat(e.kind()).isEqualTo(Kind.BROKEN));
    }

    private static byte[] gzip(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream zip = new GZIPOutputStream(bytes)) {
            zip.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return bytes.toByteArray();
    }

    private static InputStream gunzip(byte[] bytes) throws IOException {
        return new GZIPInputStream(new ByteArrayInputStream(bytes));
    }

    @Test
    void fieldOfWhichOnlyTheBeginningIsKeptIsMarked() {
        Row row = new Row();
        RowSource source = Rows.csv(
                ("id,name\n1," + "x".repeat(100_001) + "\n2,y\n3,\"" + "z".repeat(2_000))
                        .getBytes(StandardCharsets.UTF_8),
                SMALL_FIELDS);

        try (RowReader reader = source.open()) {
            assertThat(reader.next(row)).isTrue();
            assertThat(row.isCut(0)).isFalse();
            assertThat(row.isCut(1)).isTrue();
            assertThat(reader.next(row)).isTrue();
            assertThat(row.isCut(1)).isFalse();
            assertThat(reader.next(row)).isTrue();
            assertThat(row.isCut(1)).isTrue();
        }
    }

    @Test
    void utf16WithoutAByteOrderMarkIsRecognized() {
        assertHeader(
                "i\0d\0,\0n\0\n\0",
                "cannot read the header of test.csv: it contains NUL characters, as UTF-16 does. Set the encoding:"
                        + " --encoding UTF-16LE or UTF-16BE.");
    }

    private static void assertHeader(String csv, String message) {
        assertUnusable(Rows.csv(csv.getBytes(StandardCharsets.UTF_8), CsvOptions.defaults()), message);
    }

    private static void assertUnusable(RowSource source, String message) {
        assertSource(Kind.UNUSABLE, source::open, message);
    }

    private static void assertSource(Kind kind, ThrowingCallable call, String message) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        SourceException.class, e -> assertThat(e.kind()).isEqualTo(kind))
                .hasMessage(message);
    }

    /** A stream with {@code left} bytes. Each read of several bytes returns a line end, followed by letters x. */
    private static final class Repeated extends InputStream {

        private long left;

        Repeated(long left) {
            this.left = left;
        }

        @Override
        public int read() {
            return left-- > 0 ? 'x' : -1;
        }

        @Override
        public int read(byte[] into, int offset, int length) {
            if (left <= 0) {
                return -1;
            }
            int count = (int) Math.min(left, length);
            Arrays.fill(into, offset, offset + count, (byte) 'x');
            into[offset] = '\n';
            left -= count;
            return count;
        }
    }
}
