// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.load.source.SourceException.Kind;
import io.millrace.testkit.NoThreadLeft;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that several readers read at once. */
@ExtendWith(NoThreadLeft.class)
final class ParallelFilesTest {

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 64})
    void everyRowIsReadOnceInTheOrderOfItsFile(int readers) throws IOException {
        List<Integer> sizes = List.of(1_000, 0, 1, 700, 3_000, 20);
        List<RowSource> files = new ArrayList<>();
        for (int file = 0; file < sizes.size(); file++) {
            files.add(csv(file, sizes.get(file)));
        }
        FilesSource source = FilesSource.of(files).withReaders(readers);
        Map<String, Long> lastLine = new HashMap<>();
        long number = 0;

        try (RowReader reader = source.open()) {
            Row row = new Row();
            while (reader.next(row)) {
                assertThat(row.number()).isEqualTo(++number);
                long line = lastLine.merge(row.file(), 1L, Long::sum) + 1;
                assertThat(row.line()).isEqualTo(line);
                assertThat(Path.of(row.file()).getFileName()).hasToString(row.text(0) + ".csv");
                assertThat(row.text(1)).isEqualTo("n" + (line - 2));
            }
            assertThat(reader.next(row)).as("after the end").isFalse();
            assertThat(reader.share()).hasValue(1);
            assertThat(reader.expectedRows()).isEmpty();
        }

        assertThat(number).isEqualTo(4_721);
        assertThat(source.order()).isEqualTo(readers == 1 ? RowOrder.STABLE : RowOrder.NONE);
        assertThat(source.readableAgain()).isTrue();
        assertThat(source.name()).endsWith("0.csv and 5 more files");
    }

    @Test
    void filesAreReadAtTheSameTime() throws IOException {
        CountDownLatch all = new CountDownLatch(3);
        List<RowSource> files = new ArrayList<>();
        for (int file = 0; file < 3; file++) {
            // The first row of each file waits until all files are being read.
            files.add(beforeFirstRow(csv(file, 10), () -> {
                all.countDown();
                await(all);
            }));
        }

        assertThat(Rows.read(FilesSource.of(files).withReaders(3))).hasSize(30);
    }

    @Test
    void jsonFilesHaveTheColumnsOfTheFirstFile() throws IOException {
        List<JsonSource> files = new ArrayList<>();
        for (String line : List.of("{\"id\":1,\"a\":1}", "{\"a\":2,\"id\":2}", "{\"id\":3}", "{\"id\":4,\"b\":4}")) {
            Path file = folder.resolve(files.size() + ".jsonl");
            files.add(JsonSource.of(Files.writeString(file, line), JsonOptions.defaults()));
        }

        List<Rows.Read> rows = Rows.read(FilesSource.of(files).withReaders(4));

        assertThat(rows.stream().filter(row -> row.rejection().isEmpty()).map(Rows.Read::values))
                .containsExactlyInAnyOrder(List.of("1", "1"), List.of("2", "2"), List.of("3", Rows.NULL));
        assertThat(rows.stream().filter(row -> !row.rejection().isEmpty()).map(Rows.Read::rejection))
                .singleElement()
                .asString()
                .startsWith("UNKNOWN_COLUMN: ");
    }

    @Test
    void otherColumnsAreRefusedBeforeTheFirstRow() throws IOException {
        CsvSource other =
                CsvSource.of(Files.writeString(folder.resolve("other.csv"), "file,city\n"), CsvOptions.defaults());

        assertThatThrownBy(() -> FilesSource.of(List.of(csv(0, 1), csv(1, 1), other))
                        .withReaders(2)
                        .open())
                .hasMessageContaining("other.csv differ from the columns of the first file: missing=[name]");
    }

    @Test
    void failureOfAFileEndsTheReading() throws IOException {
        RowSource failing = beforeFirstRow(csv(1, 1), () -> {
            throw new SourceException(Kind.BROKEN, "the file is damaged");
        });
        FilesSource source = FilesSource.of(List.of(csv(0, 5_000), failing)).withReaders(2);

        assertThatThrownBy(() -> Rows.read(source)).hasMessage("the file is damaged");
    }

    @Test
    void readersOfAllFilesAreCancelled() throws IOException {
        CountDownLatch reading = new CountDownLatch(2);
        CountDownLatch never = new CountDownLatch(1);
        List<RowSource> files = new ArrayList<>();
        for (int file = 0; file < 2; file++) {
            files.add(beforeFirstRow(
                    csv(file, 10),
                    () -> {
                        reading.countDown();
                        await(never);
                    },
                    never::countDown));
        }

        try (RowReader reader = FilesSource.of(files).withReaders(2).open()) {
            Thread.ofVirtual().start(() -> {
                await(reading);
                reader.cancel();
            });

            assertThatThrownBy(() -> reader.next(new Row()))
                    .isInstanceOf(SourceException.class)
                    .hasMessageContaining("1 more file was cancelled after 0 rows");
        }
    }

    private CsvSource csv(int file, int rows) throws IOException {
        StringBuilder text = new StringBuilder("file,name\n");
        IntStream.range(0, rows)
                .forEach(row -> text.append(file).append(",n").append(row).append('\n'));
        return CsvSource.of(Files.writeString(folder.resolve(file + ".csv"), text), CsvOptions.defaults());
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static RowSource beforeFirstRow(CsvSource file, Runnable action) {
        return beforeFirstRow(file, action, () -> {});
    }

    /** The rows of {@code file}. {@code action} runs before the first row is read, and {@code cancelled} at a cancellation. */
    private static RowSource beforeFirstRow(CsvSource file, Runnable action, Runnable cancelled) {
        return new GatedSource(file, action, cancelled);
    }

    private record GatedSource(CsvSource file, Runnable action, Runnable cancelled) implements RowSource {

        @Override
        public String name() {
            return file.name();
        }

        /** False, so that the file is opened once, by its reader. */
        @Override
        public boolean readableAgain() {
            return false;
        }

        @Override
        public RowReader open() {
            RowReader reader = file.open();
            return new RowReader() {
                private boolean begun;

                @Override
                public List<Column> columns() {
                    return reader.columns();
                }

                @Override
                public boolean next(Row row) {
                    if (!begun) {
                        begun = true;
                        action.run();
                    }
                    return reader.next(row);
                }

                @Override
                public void cancel() {
                    cancelled.run();
                    reader.cancel();
                }

                @Override
                public void close() {
                    reader.close();
                }
            };
        }
    }
}
