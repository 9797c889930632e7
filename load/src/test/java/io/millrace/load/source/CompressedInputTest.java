// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.ZstdOutputStream;
import io.millrace.load.source.SourceException.Kind;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class CompressedInputTest {

    private static final int ROWS = 20_000;

    enum Format {
        GZIP {
            @Override
            OutputStream open(OutputStream out) throws IOException {
                return new GZIPOutputStream(out);
            }
        },
        ZSTD {
            @Override
            OutputStream open(OutputStream out) throws IOException {
                return new ZstdOutputStream(out).setChecksum(true);
            }
        };

        abstract OutputStream open(OutputStream out) throws IOException;

        byte[] compress(byte[] content) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (OutputStream out = open(bytes)) {
                out.write(content);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
            return bytes.toByteArray();
        }
    }

    @ParameterizedTest
    @EnumSource
    void compressedFileGivesTheRowsOfTheFile(Format format, @TempDir Path folder) throws IOException {
        Path file = Files.write(folder.resolve("shop.csv.bin"), format.compress(csv(ROWS)));

        try (RowReader reader = CsvSource.of(file, CsvOptions.defaults()).open()) {
            List<Rows.Read> rows = Rows.rest(reader);

            assertThat(rows).hasSize(ROWS);
            assertThat(rows.getLast().values().getFirst()).isEqualTo(Integer.toString(ROWS));
            assertThat(rows.getLast().line()).isEqualTo(ROWS + 1);
            assertThat(reader.share()).hasValue(1.0);
        }
    }

    @ParameterizedTest
    @EnumSource
    void allMembersAreReadAlsoFromAStreamWithoutAvailableBytes(Format format) {
        byte[] csv = csv(ROWS);
        byte[] first = format.compress(Arrays.copyOfRange(csv, 0, 100));
        byte[] second = format.compress(Arrays.copyOfRange(csv, 100, csv.length));

        List<Rows.Read> rows = Rows.read(stream(concat(first, second), 7));

        assertThat(rows).hasSize(ROWS);
        assertThat(rows).extracting(Rows.Read::rejection).containsOnly("");
    }

    @ParameterizedTest
    @EnumSource
    void fileThatEndsEarlyIsAnErrorAfterItsRows(Format format) {
        byte[] whole = format.compress(csv(ROWS));
        Row row = new Row();
        long read = 0;

        try (RowReader reader =
                stream(Arrays.copyOf(whole, whole.length - 20), 1_000).open()) {
            SourceException failure = null;
            while (failure == null) {
                try {
                    assertThat(reader.next(row)).isTrue();
                    read++;
                } catch (SourceException e) {
                    failure = e;
                }
            }

            assertThat(failure.kind()).isEqualTo(Kind.BROKEN);
            assertThat(failure).hasMessageContaining("data ends early: the file is not complete");
            assertThat(read).isBetween(1L, (long) ROWS);
        }
    }

    @ParameterizedTest
    @EnumSource
    void secondMemberThatEndsInItsHeaderIsAnError(Format format) {
        byte[] csv = csv(5);
        byte[] header = Arrays.copyOf(format.compress(csv), 3);

        assertThatThrownBy(() -> Rows.read(stream(concat(format.compress(csv), header), 1_000)))
                .isInstanceOfSatisfying(
                        SourceException.class, e -> assertThat(e.kind()).isEqualTo(Kind.BROKEN))
                .hasMessageContaining("data ends early");
    }

    @ParameterizedTest
    @EnumSource
    void fileThatEndsInItsFirstHeaderIsBroken(Format format) {
        byte[] header = Arrays.copyOf(format.compress(csv(5)), 5);

        assertThatThrownBy(() -> stream(header, 1_000).open())
                .isInstanceOfSatisfying(
                        SourceException.class, e -> assertThat(e.kind()).isEqualTo(Kind.BROKEN))
                .hasMessageContaining("data ends early");
    }

    @ParameterizedTest
    @EnumSource
    void damagedDataIsAnError(Format format) {
        byte[] damaged = format.compress(csv(ROWS));
        for (int i = damaged.length / 2; i < damaged.length / 2 + 50; i++) {
            damaged[i] = (byte) (damaged[i] ^ 0x55);
        }

        assertThatThrownBy(() -> Rows.read(stream(damaged, 1_000)))
                .isInstanceOf(SourceException.class)
                .hasMessageContaining("data is damaged");
    }

    @Test
    void zerosMayFollowGzipDataButOtherBytesMayNot() {
        byte[] csv = Format.GZIP.compress(csv(5));

        assertThat(Rows.read(stream(concat(csv, new byte[512]), 100))).hasSize(5);
        assertThatThrownBy(() -> Rows.read(stream(concat(csv, new byte[] {'x'}), 100)))
                .hasMessageContaining("other data follows");
        assertThatThrownBy(() -> Rows.read(stream(concat(csv, new byte[] {0, 'x'}), 100)))
                .hasMessageContaining("other data follows");
    }

    @Test
    void gzipHeaderWithNameAndCommentIsSkipped() {
        byte[] plain = Format.GZIP.compress(csv(5));
        byte[] withFields = new byte[plain.length + 4 + 2 + 2];
        System.arraycopy(plain, 0, withFields, 0, 10);
        withFields[3] = 4 | 8 | 16; // extra, name, comment
        withFields[10] = 2; // length of the extra field, in two bytes
        withFields[14] = 'n'; // name, ended by a zero
        withFields[16] = 0; // empty comment
        byte[] header = Arrays.copyOf(withFields, 17);

        byte[] file = concat(header, Arrays.copyOfRange(plain, 10, plain.length));

        assertThat(Rows.read(stream(file, 100))).hasSize(5);
    }

    @Test
    void fileThatExpandsTooMuchIsRefusedBeforeItOccupiesTheLoad() {
        byte[] bomb = Format.ZSTD.compress(new byte[(int) SourceInput.UNCHECKED_BYTES + (8 << 20)]);

        assertThatThrownBy(() -> Rows.read(CsvSource.of(
                        new ByteArrayInputStream(bomb),
                        "bomb.csv",
                        CsvOptions.builder().columns(List.of("a")).build())))
                .isInstanceOf(SourceException.class)
                .hasMessageContaining("compressed bytes expand to more than 1,000 times their size");
    }

    @Test
    void shortInputIsReadAsItIs() {
        CsvOptions options = CsvOptions.builder().columns(List.of("a")).build();

        assertThat(Rows.read(Rows.csv(new byte[0], options))).isEmpty();
        assertThat(Rows.values(Rows.read(Rows.csv(new byte[] {'('}, options)))).containsExactly(List.of("("));
        assertThat(Rows.values(Rows.read(Rows.csv(new byte[] {'x', 'y'}, options))))
                .containsExactly(List.of("xy"));
    }

    private static byte[] csv(int rows) {
        Random random = new Random(7);
        StringBuilder csv = new StringBuilder("id,text\n");
        for (int id = 1; id <= rows; id++) {
            csv.append(id)
                    .append(',')
                    .append(Long.toHexString(random.nextLong()))
                    .append('\n');
        }
        return csv.toString().getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] concat(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    /** A source over a stream whose reads return at most {@code most} bytes, and whose available() is always 0. */
    private static CsvSource stream(byte[] bytes, int most) {
        InputStream in = new ByteArrayInputStream(bytes) {
            @Override
            public synchronized int read(byte[] into, int offset, int length) {
                return super.read(into, offset, Math.min(most, length));
            }

            @Override
            public synchronized int available() {
                return 0;
            }
        };
        return CsvSource.of(in, "stream.csv", CsvOptions.defaults());
    }
}
