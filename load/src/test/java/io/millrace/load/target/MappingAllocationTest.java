// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.millrace.client.command.ArgumentSink;
import io.millrace.load.source.Row;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MappingAllocationTest {

    private static final int WARM_UP = 20_000;
    private static final int ROWS = 100_000;

    /** Less than one object of minimum size per row. */
    private static final long LIMIT_BYTES = 8L * ROWS;

    static Stream<Target> targets() {
        HashTarget hash = HashTarget.of("c:{id}");
        return Stream.of(
                StringTarget.of("c:{id}", "{name}/{id}"),
                StringTarget.of("c:{id}", "name").withBucket(BucketOptions.of(100)),
                StringTarget.of("c:{name}", "id")
                        .withBucket(BucketOptions.of(100).withPairs(1_000)),
                JsonTarget.of("c:{id}"),
                hash,
                hash.withTtl(Duration.ofHours(1)),
                hash.withReplaceRow(),
                hash.withTtl(Duration.ofHours(1)).withTtlJitter(0.1),
                SetTarget.of("all").withValue("name"),
                SortedSetTarget.of("all", "balance").withValue("name"),
                BitmapTarget.of("all", "id"),
                StreamTarget.of("all"),
                HashFieldTarget.of("c:{id}", "{id}"));
    }

    @ParameterizedTest
    @MethodSource("targets")
    void mappingARowAllocatesNothing(Target target) {
        RowMapping mapping = target.bind(Rows.columns("id", "name", "balance", "active", "city"));
        Row row = Rows.row(7, "Ada Lovelace", new BigDecimal("12.50"), true, Rows.NULL);
        CountingSink sink = new CountingSink();
        map(mapping, row, sink, WARM_UP);

        long before = allocatedBytes();
        map(mapping, row, sink, ROWS);
        long allocated = allocatedBytes() - before;

        assertThat(allocated).isLessThan(LIMIT_BYTES);
        assertThat(sink.total).isPositive();
    }

    @Test
    void importingARowAllocatesNothing() {
        RowMapping mapping =
                HashTarget.of("c:{id}").withReplaceRow().bind(Rows.columns("id", "name", "balance", "active", "city"));
        HashImport hashImport = mapping.hashImport().orElseThrow();
        Row row = Rows.row(7, "Ada Lovelace", new BigDecimal("12.50"), true, Rows.NULL);
        CountingSink sink = new CountingSink();
        map(mapping, hashImport, row, sink, WARM_UP);

        long before = allocatedBytes();
        map(mapping, hashImport, row, sink, ROWS);
        long allocated = allocatedBytes() - before;

        assertThat(allocated).isLessThan(LIMIT_BYTES);
        assertThat(sink.total).isPositive();
    }

    @Test
    void restoringARowAllocatesNothing() {
        RowMapping mapping = HashTarget.of("c:{id}")
                .withTtl(Duration.ofHours(1))
                .bind(Rows.columns("id", "name", "balance", "active", "city"));
        HashRestore hashRestore = mapping.hashRestore().orElseThrow();
        Row row = Rows.row(7, "Ada Lovelace", new BigDecimal("12.50"), true, Rows.NULL);
        CountingSink sink = new CountingSink();
        map(mapping, hashRestore, row, sink, WARM_UP);

        long before = allocatedBytes();
        map(mapping, hashRestore, row, sink, ROWS);
        long allocated = allocatedBytes() - before;

        assertThat(allocated).isLessThan(LIMIT_BYTES);
        assertThat(sink.total).isPositive();
    }

    private static void map(RowMapping mapping, HashRestore hashRestore, Row row, ArgumentSink sink, int times) {
        for (int i = 0; i < times; i++) {
            if (mapping.prepare(row).isPresent() || !hashRestore.encode(row, 128, 64)) {
                throw new AssertionError("not restored: " + mapping.prepare(row));
            }
            hashRestore.write(sink);
        }
    }

    private static void map(RowMapping mapping, HashImport hashImport, Row row, ArgumentSink sink, int times) {
        for (int i = 0; i < times; i++) {
            if (mapping.prepare(row).isPresent()) {
                throw new AssertionError("rejected: " + mapping.prepare(row));
            }
            hashImport.write(row, hashImport.fieldSet(row), sink);
        }
    }

    private static void map(RowMapping mapping, Row row, ArgumentSink sink, int times) {
        for (int i = 0; i < times; i++) {
            if (mapping.prepare(row).isPresent()) {
                throw new AssertionError("rejected: " + mapping.prepare(row));
            }
            mapping.write(row, sink);
        }
    }

    private static long allocatedBytes() {
        return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }

    private static final class CountingSink implements ArgumentSink {

        private long total;

        @Override
        public ArgumentSink arg(byte[] bytes, int offset, int length) {
            total += length;
            return this;
        }

        @Override
        public ArgumentSink arg(long number) {
            total++;
            return this;
        }
    }
}
