// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CsvSourceTest {

    @Test
    void readerThatWaitsForItsStreamCanBeCancelled() throws Exception {
        Pipe pipe = Pipe.open();
        pipe.sink().write(ByteBuffer.wrap("id\n1\n2\n3".getBytes(StandardCharsets.UTF_8)));

        CancelAssertions.assertCancelEndsReading(
                CsvSource.of(Channels.newInputStream(pipe.source()), "standard input", CsvOptions.defaults()), 2);
        pipe.sink().close();
    }

    @Test
    void readerThatWaitsForANamedPipeCanBeCancelled(@TempDir Path folder) throws Exception {
        Path fifo = folder.resolve("rows.csv");
        assumeTrue(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor() == 0);
        // Opened for reading and writing, so that the opening does not wait for a second process.
        try (RandomAccessFile other = new RandomAccessFile(fifo.toFile(), "rw")) {
            other.write("id\n1\n2\n3".getBytes(StandardCharsets.UTF_8));
            FileInputStream in = new FileInputStream(fifo.toFile());

            CancelAssertions.assertCancelEndsReading(
                    CsvSource.of(Channels.newInputStream(in.getChannel()), "standard input", CsvOptions.defaults()), 2);
        }
    }

    @Test
    void closingTheReaderDoesNotCloseTheStreamOfTheCaller() {
        AtomicBoolean closed = new AtomicBoolean();
        InputStream in = new ByteArrayInputStream("id\n1\n".getBytes(StandardCharsets.UTF_8)) {
            @Override
            public void close() {
                closed.set(true);
            }
        };

        RowReader reader =
                CsvSource.of(in, "standard input", CsvOptions.defaults()).open();
        assertThat(reader.share()).isEmpty();
        reader.close();
        reader.cancel();

        assertThat(closed).isFalse();
    }

    @Test
    void progressShareOfAFileIsTheShareOfTheBytesThatWereRead(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("rows.csv");
        Files.writeString(file, "id\n" + "12345678\n".repeat(20_000));

        try (RowReader reader = CsvSource.of(file, CsvOptions.defaults()).open()) {
            assertThat(reader.share().orElseThrow()).isBetween(0.3, 0.4);
            assertThat(Rows.rest(reader)).hasSize(20_000);
            assertThat(reader.share()).hasValue(1);
        }
    }

    @Test
    void columnNamesAreReadFromTheHeader() {
        CsvSource source = Rows.csv(
                "id,name\n1,Ada\n2,\"Grace, Rear Admiral\"\n".getBytes(StandardCharsets.UTF_8), CsvOptions.defaults());

        try (RowReader reader = source.open()) {
            assertThat(Rows.columns(reader)).containsExactly("id", "name");
            List<Rows.Read> rows = Rows.rest(reader);

            assertThat(Rows.values(rows)).containsExactly(List.of("1", "Ada"), List.of("2", "Grace, Rear Admiral"));
            assertThat(rows).extracting(Rows.Read::number).containsExactly(1L, 2L);
            assertThat(rows).extracting(Rows.Read::line).containsExactly(2L, 3L);
            assertThat(rows).allSatisfy(row -> assertThat(row.kinds()).containsOnly(Row.Kind.TEXT));
        }
    }

    @Test
    void everyKindOfLineEndIncreasesTheLineNumberEvenInsideQuotes() {
        String csv = "a,b\r\n1,\"x\ny\r\nz\rw\"\r\n\r\n2,x\r3,y\n\n\n4,z";

        List<Rows.Read> rows = Rows.read(csv);

        assertThat(rows).extracting(row -> row.values().getFirst()).containsExactly("1", "2", "3", "4");
        assertThat(rows).extracting(Rows.Read::line).containsExactly(2L, 7L, 8L, 11L);
        assertThat(rows.getFirst().values().get(1)).isEqualTo("x\ny\r\nz\rw");
    }

    @Test
    void unquotedEmptyFieldIsNullAndQuotedEmptyFieldIsAnEmptyText() {
        List<Rows.Read> rows = Rows.read("a,b,c\n,\"\",x\n1,2,\n");

        assertThat(Rows.values(rows)).containsExactly(List.of(Rows.NULL, "", "x"), List.of("1", "2", Rows.NULL));
    }

    @Test
    void emptyFieldIsAnEmptyTextIfAnotherTextMeansNull() {
        CsvOptions options = CsvOptions.builder().nullText("\\N").build();

        List<Rows.Read> rows = Rows.read("a,b,c,d\n\\N,,\"\\N\",\\N \n", options);

        assertThat(Rows.values(rows)).containsExactly(List.of(Rows.NULL, "", "\\N", "\\N "));
    }

    @Test
    void noFieldIsNullIfTheOptionsHaveNoNullText() {
        List<Rows.Read> rows =
                Rows.read("a,b\n,\n", CsvOptions.builder().withoutNullText().build());

        assertThat(Rows.values(rows)).containsExactly(List.of("", ""));
    }

    @Test
    void twoQuotesInAQuotedFieldAreOneQuoteAndUnquotedFieldsKeepTheirQuotes() {
        List<Rows.Read> rows = Rows.read("a,b\n\"say \"\"hi\"\"\",5\" disk\n\"\"\"\",\"\"\"\"\"\"\n");

        assertThat(Rows.values(rows)).containsExactly(List.of("say \"hi\"", "5\" disk"), List.of("\"", "\"\""));
    }

    @Test
    void quotesAreOrdinaryCharactersIfTheOptionsHaveNoQuote() {
        List<Rows.Read> rows =
                Rows.read("a,b\n\"x,y\"\n", CsvOptions.builder().withoutQuote().build());

        assertThat(Rows.values(rows)).containsExactly(List.of("\"x", "y\""));
    }

    @Test
    void delimiterAndQuoteCanBeChanged() {
        CsvOptions options = CsvOptions.builder().delimiter(';').quote('\'').build();

        List<Rows.Read> rows = Rows.read("a;b\n'x;''y';\"z\n", options);

        assertThat(Rows.values(rows)).containsExactly(List.of("x;'y", "\"z"));
    }

    @Test
    void firstLineIsARowIfTheOptionsContainTheColumns() {
        CsvOptions options = CsvOptions.builder().columns(List.of("a", "b")).build();

        assertThat(Rows.read("1,2\n3,4", options))
                .extracting(Rows.Read::line, Rows.Read::values)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(1L, List.of("1", "2")),
                        org.assertj.core.groups.Tuple.tuple(2L, List.of("3", "4")));
        assertThat(Rows.read("", options)).isEmpty();
    }

    @Test
    void byteOrderMarkIsNotPartOfTheFirstColumn() {
        CsvSource source = Rows.csv("\uFEFFid,x\n1,2\n".getBytes(StandardCharsets.UTF_8), CsvOptions.defaults());

        try (RowReader reader = source.open()) {
            assertThat(Rows.columns(reader)).containsExactly("id", "x");
        }
    }

    @Test
    void utf8BytesAreUnchanged() {
        String text = "æ–Ʒ漢字🌊\u0000\u007F";

        List<Rows.Read> rows = Rows.read("größe,x\n" + text + ",\"" + text + "\"\n");

        assertThat(Rows.values(rows)).containsExactly(List.of(text, text));
    }

    @Test
    void otherEncodingsAreConvertedToUtf8() {
        String csv = "größe,x\n\"é\",1\näöü,2\n";
        for (String name : List.of("ISO-8859-1", "windows-1252", "UTF-16", "UTF-16LE", "UTF-32BE")) {
            Charset encoding = Charset.forName(name);
            CsvOptions options = CsvOptions.builder().encoding(encoding).build();

            try (RowReader reader = Rows.csv(csv.getBytes(encoding), options).open()) {
                assertThat(Rows.columns(reader)).as(name).containsExactly("größe", "x");
                assertThat(Rows.values(Rows.rest(reader)))
                        .as(name)
                        .containsExactly(List.of("é", "1"), List.of("äöü", "2"));
            }
        }
    }

    @Test
    void surrogatePairThatSpansTwoBuffersIsConvertedToUtf8() {
        String value = "🌊é漢a".repeat(20_000);
        CsvOptions options =
                CsvOptions.builder().encoding(StandardCharsets.UTF_16BE).build();

        List<Rows.Read> rows =
                Rows.read(Rows.csv(("a\n" + value + "\nend\n").getBytes(StandardCharsets.UTF_16BE), options));

        assertThat(Rows.values(rows)).containsExactly(List.of(value), List.of("end"));
    }

    @Test
    void endingOfTheFileNameSelectsTheDelimiter(@TempDir Path folder) throws IOException {
        Path tsv = Files.writeString(folder.resolve("x.TSV"), "a\tb,c\n1\t\"2\t3\"\n");
        CsvSource source = CsvSource.of(tsv, CsvOptions.defaults());

        try (RowReader reader = source.open()) {
            assertThat(Rows.columns(reader)).containsExactly("a", "b,c");
            assertThat(Rows.values(Rows.rest(reader))).containsExactly(List.of("1", "2\t3"));
        }
        assertThat(source.name()).isEqualTo(tsv.toString());
    }

    @Test
    void fileCanBeReadAgainButAStreamCannot(@TempDir Path folder) throws IOException {
        CsvSource file = CsvSource.of(Files.writeString(folder.resolve("x.csv"), "a\n1\n"), CsvOptions.defaults());
        CsvSource stream = Rows.csv("a\n1\n".getBytes(StandardCharsets.UTF_8), CsvOptions.defaults());

        assertThat(file.readableAgain()).isTrue();
        assertThat(Rows.read(file)).isEqualTo(Rows.read(file));
        assertThat(stream.readableAgain()).isFalse();
        assertThat(Rows.read(stream)).hasSize(1);
        assertThatThrownBy(stream::open).isInstanceOf(SourceException.class).hasMessageContaining("only once");
    }

    @Test
    void nextClearsTheRowAndReturnsFalseAtTheEndOfTheSource() {
        Row row = new Row();
        try (RowReader reader = Rows.csv("a\n1\n".getBytes(StandardCharsets.UTF_8), CsvOptions.defaults())
                .open()) {
            assertThat(reader.next(row)).isTrue();

            assertThat(reader.next(row)).isFalse();
            assertThat(row.size()).isZero();
            assertThat(reader.next(row)).isFalse();
        }
    }

    @Test
    void invalidOptionsAreRefused() {
        assertThatThrownBy(() -> CsvOptions.builder().delimiter('"').build())
                .hasMessage("delimiter and quote are both '\"'; they must differ");
        assertThatThrownBy(() -> CsvOptions.builder().delimiter('\n').build())
                .hasMessage("delimiter=U+000A; it must be an ASCII character and not a line end");
        assertThatThrownBy(() -> CsvOptions.builder().quote('«').build()).hasMessageContaining("quote=U+00AB");
        assertThatThrownBy(() -> CsvOptions.builder().fieldLimitBytes(0).build())
                .hasMessage("fieldLimitBytes=0 bytes is out of range: 1 byte to 1 GB.");
    }
}
