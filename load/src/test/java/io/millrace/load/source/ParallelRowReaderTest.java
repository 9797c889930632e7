// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.load.source.SourceException.Kind;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Tests the reading of several parts, with parts that need no database. */
final class ParallelRowReaderTest {

    private static final long MANY = 20_000_000;

    @Test
    void failureOfOnePartEndsTheOthers() {
        CountDownLatch firstRow = new CountDownLatch(1);
        List<RowSource> parts = List.of(new FailingSource(firstRow), GeneratedSource.customers(MANY, 0));
        Row row = new Row();
        AtomicLong rows = new AtomicLong();

        try (ParallelRowReader reader = ParallelRowReader.open("parts", parts, TableSize.UNKNOWN, cancel -> {})) {
            assertThatThrownBy(() -> {
                        while (reader.next(row)) {
                            rows.incrementAndGet();
                            firstRow.countDown();
                        }
                    })
                    .isInstanceOf(SourceException.class)
                    .hasMessage("the disk is broken");
        }
        assertThat(rows.get()).isPositive().isLessThan(MANY);
    }

    /** Fails after the first row of another part. */
    private record FailingSource(CountDownLatch firstRow) implements RowSource {

        @Override
        public String name() {
            return "failing";
        }

        @Override
        public boolean readableAgain() {
            return true;
        }

        @Override
        public RowReader open() {
            return new FailingReader(firstRow);
        }
    }

    private record FailingReader(CountDownLatch firstRow) implements RowReader {

        @Override
        public List<Column> columns() {
            return List.of();
        }

        @Override
        public boolean next(Row row) {
            try {
                firstRow.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            throw new SourceException(Kind.BROKEN, "the disk is broken");
        }

        @Override
        public void cancel() {}

        @Override
        public void close() {}
    }
}
