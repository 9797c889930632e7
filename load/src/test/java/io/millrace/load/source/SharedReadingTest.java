// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.testkit.NoThreadLeft;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Several loads that read a source together. */
@ExtendWith(NoThreadLeft.class)
class SharedReadingTest {

    private static final int ROWS = 20_000;

    private final AtomicInteger openings = new AtomicInteger();
    private final AtomicInteger rowsRead = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();

    @Test
    void eachShareGetsAllRowsOfOneReading() throws Exception {
        List<SharedReading.Share> shares = SharedReading.of(source(ROWS), 3);

        List<List<String>> found = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(3)) {
            List<Future<List<String>>> reads = shares.stream()
                    .map(share -> threads.submit(() -> readAll(share)))
                    .toList();
            for (Future<List<String>> read : reads) {
                found.add(read.get());
            }
        }

        List<String> all =
                IntStream.range(0, ROWS).mapToObj(i -> i + " row " + i).toList();
        assertThat(found).containsOnly(all);
        assertThat(openings.get()).isOne();
        assertThat(closed.get()).isOne();
    }

    @Test
    void memoryIsBoundedWhileAShareIsSlow() {
        List<SharedReading.Share> shares = SharedReading.of(source(ROWS), 2);
        Row row = new Row();

        try (RowReader fast = shares.getFirst().open()) {
            for (int i = 0; i < 8 * 256; i++) {
                assertThat(fast.next(row)).isTrue();
            }
            assertThat(rowsRead.get()).isEqualTo(8 * 256);

            shares.getLast().close();
            assertThat(fast.next(row)).isTrue();
        }

        assertThat(closed.get()).isOne();
    }

    @Test
    void rowsBeforeAFailureReachEachShareBeforeTheFailure() {
        List<SharedReading.Share> shares = SharedReading.of(source(-10), 2);

        for (SharedReading.Share share : shares) {
            Row row = new Row();
            try (RowReader reader = share.open()) {
                for (int i = 0; i < 10; i++) {
                    assertThat(reader.next(row)).isTrue();
                }
                assertThatThrownBy(() -> reader.next(row)).hasMessage("broken");
            }
        }
    }

    @Test
    void secondOpeningReadsTheSourceAgain() {
        SharedReading.Share share = SharedReading.of(source(3), 1).getFirst();

        assertThat(readAll(share)).isEqualTo(readAll(share)).hasSize(3);
        assertThat(openings.get()).isEqualTo(2);
    }

    @Test
    void cancelOfAllSharesCancelsTheSource() {
        List<SharedReading.Share> shares = SharedReading.of(source(ROWS), 2);
        Row row = new Row();

        try (RowReader first = shares.getFirst().open();
                RowReader second = shares.getLast().open()) {
            first.cancel();
            assertThatThrownBy(() -> first.next(row)).isInstanceOf(SourceException.class);
            assertThat(second.next(row)).isTrue();
            second.cancel();
            assertThat(closed.get()).isEqualTo(100);
        }
    }

    /** An interrupted wait must not look like the end of the source, because a swap would then replace whole data by a part. */
    @Test
    void interruptedWaitForASlowShareIsAFailure() {
        List<SharedReading.Share> shares = SharedReading.of(source(ROWS), 2);
        Row row = new Row();

        try (RowReader fast = shares.getFirst().open()) {
            for (int i = 0; i < 8 * 256; i++) {
                assertThat(fast.next(row)).isTrue();
            }
            Thread.currentThread().interrupt();

            assertThatThrownBy(() -> fast.next(row)).isInstanceOf(SourceException.class);
            assertThat(Thread.interrupted()).isTrue();
        } finally {
            shares.getLast().close();
        }
    }

    private static List<String> readAll(RowSource source) {
        List<String> rows = new ArrayList<>();
        Row row = new Row();
        try (RowReader reader = source.open()) {
            while (reader.next(row)) {
                rows.add(row.text(0) + " " + row.text(1));
            }
        }
        return rows;
    }

    /** A source that breaks after {@code -count} rows if {@code count} is negative. A cancel adds 100 to the closings. */
    private RowSource source(int count) {
        return new RowSource() {
            @Override
            public String name() {
                return "rows";
            }

            @Override
            public boolean readableAgain() {
                return true;
            }

            @Override
            public RowReader open() {
                openings.incrementAndGet();
                return new Counted(count);
            }
        };
    }

    private final class Counted implements RowReader {

        private final int count;
        private int next;

        Counted(int count) {
            this.count = count;
        }

        @Override
        public List<Column> columns() {
            return List.of(new Column("id"), new Column("name"));
        }

        @Override
        public boolean next(Row row) {
            if (next == -count) {
                throw new SourceException(SourceException.Kind.BROKEN, "broken");
            }
            if (next == count) {
                return false;
            }
            rowsRead.incrementAndGet();
            row.clear(next + 1, 0);
            row.add(next);
            row.add(Row.Kind.TEXT, ("row " + next).getBytes(UTF_8));
            next++;
            return true;
        }

        @Override
        public void cancel() {
            closed.addAndGet(100);
        }

        @Override
        public void close() {
            closed.incrementAndGet();
        }
    }
}
