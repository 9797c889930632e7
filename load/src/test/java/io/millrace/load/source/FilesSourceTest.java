// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.load.source.SourceException.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class FilesSourceTest {

    @TempDir
    private Path folder;

    @Test
    void filesAreReadInOrderAndEachRowHasItsFileAndLine() throws IOException {
        FilesSource source = FilesSource.of(List.of(
                csv("a.csv", "id,name\n1,Ada\n2,Bob\n"),
                csv("b.csv", "id,name\n"),
                csv("c.csv", "id,name\n3,Eve\n4\n")));
        List<String> places = new ArrayList<>();

        try (RowReader reader = source.open()) {
            Row row = new Row();
            while (reader.next(row)) {
                places.add(row.number() + " " + Path.of(row.file()).getFileName() + ":" + row.line() + " " + row.text(0)
                        + (row.isRejected() ? " rejected" : ""));
            }
            assertThat(reader.next(row)).as("after the end").isFalse();
            assertThat(reader.share()).hasValue(1.0);
        }

        assertThat(places).containsExactly("1 a.csv:2 1", "2 a.csv:3 2", "3 c.csv:2 3", "4 c.csv:3 4 rejected");
        assertThat(source.name()).endsWith("a.csv and 2 more files");
        assertThat(source.readableAgain()).isTrue();
    }

    @Test
    void otherColumnsAreRefusedBeforeTheFirstRow() throws IOException {
        FilesSource missing =
                FilesSource.of(List.of(csv("a.csv", "id,name\n1,Ada\n"), csv("b.csv", "id,city\n2,Rome\n")));
        FilesSource order = FilesSource.of(List.of(csv("c.csv", "id,name\n"), csv("d.csv", "name,id\n")));

        assertThatThrownBy(missing::open)
                .isInstanceOfSatisfying(
                        SourceException.class, e -> assertThat(e.kind()).isEqualTo(Kind.UNUSABLE))
                .hasMessage("the columns of " + folder.resolve("b.csv") + " differ from the columns of the first file:"
                        + " missing=[name], additional=[city]. Load the files separately.");
        assertThatThrownBy(order::open).hasMessageContaining("missing=[], additional=[] (another order)");
    }

    @Test
    void jsonFilesHaveTheColumnsOfTheFirstFile() throws IOException {
        FilesSource source =
                FilesSource.of(Stream.of("{\"id\":1,\"a\":2}\n", "{\"a\":4,\"id\":3}\n{\"b\":1,\"id\":5}\n")
                        .map(this::json)
                        .toList());

        List<Rows.Read> rows = Rows.read(source);

        assertThat(Rows.values(rows).subList(0, 2)).containsExactly(List.of("1", "2"), List.of("3", "4"));
        assertThat(rows.get(2).rejection()).startsWith("UNKNOWN_COLUMN: ");
    }

    @Test
    void fileThatDisappearsEndsTheSourceWithAnError() throws IOException {
        FilesSource source = FilesSource.of(List.of(csv("a.csv", "id\n1\n"), csv("b.csv", "id\n2\n")));

        try (RowReader reader = source.open()) {
            Files.delete(folder.resolve("b.csv"));
            Row row = new Row();
            assertThat(reader.next(row)).isTrue();
            assertThatThrownBy(() -> reader.next(row))
                    .isInstanceOf(SourceException.class)
                    .hasMessageContaining("b.csv (there is no such file)");
        }
    }

    @Test
    void cancelledReaderReadsNoFurtherFile() throws IOException {
        FilesSource source = FilesSource.of(List.of(csv("a.csv", "id\n1\n"), csv("b.csv", "id\n2\n")));

        try (RowReader reader = source.open()) {
            Row row = new Row();
            assertThat(reader.next(row)).isTrue();
            reader.cancel();
            assertThatThrownBy(() -> reader.next(row)).isInstanceOf(SourceException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void openingOfALaterFileCanBeCancelled(boolean readableAgain) throws Exception {
        BlockingFile blocking = new BlockingFile(readableAgain);
        FilesSource source = FilesSource.of(List.of(csv("a.csv", "id\n1\n"), blocking));
        CompletableFuture<Runnable> cancel = new CompletableFuture<>();
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        Thread reading = Thread.ofPlatform().daemon().start(() -> {
            try (RowReader reader = source.open(cancel::complete)) {
                Row row = new Row();
                while (reader.next(row)) {
                    // The file that blocks is opened after the rows of the first file.
                }
            } catch (SourceException e) {
                failure.complete(e);
            }
        });

        assertThat(blocking.opening.await(1, TimeUnit.MINUTES)).isTrue();
        cancel.get(1, TimeUnit.MINUTES).run();

        assertThat(failure.get(1, TimeUnit.MINUTES)).hasMessage("cancelled");
        reading.join();
    }

    /** A file whose opening blocks until it is cancelled, as the opening of a pipe does. */
    private static final class BlockingFile implements RowSource {

        private final CountDownLatch opening = new CountDownLatch(1);
        private final CountDownLatch cancelled = new CountDownLatch(1);
        private final boolean readableAgain;

        BlockingFile(boolean readableAgain) {
            this.readableAgain = readableAgain;
        }

        @Override
        public String name() {
            return "pipe";
        }

        @Override
        public boolean readableAgain() {
            return readableAgain;
        }

        @Override
        public RowReader open() {
            return open(cancel -> {});
        }

        @Override
        public RowReader open(OpeningListener listener) {
            listener.opening(cancelled::countDown);
            opening.countDown();
            try {
                cancelled.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            throw new SourceException(Kind.UNUSABLE, "cancelled");
        }
    }

    private CsvSource csv(String name, String content) throws IOException {
        return CsvSource.of(Files.writeString(folder.resolve(name), content), CsvOptions.defaults());
    }

    private JsonSource json(String content) {
        try {
            Path file = Files.writeString(Files.createTempFile(folder, "x", ".jsonl"), content);
            return JsonSource.of(file, JsonOptions.defaults());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
