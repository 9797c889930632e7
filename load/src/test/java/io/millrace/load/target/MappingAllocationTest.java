// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.millrace.client.ArgumentSink;
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

    /** Below the smallest object there is, so that not even one for each row goes unnoticed. */
    private static final long LIMIT_BYTES = 8L * ROWS;

    static Stream<Target> targets() {
        Target hash = Target.of(TargetType.HASH, "c:{id}");
        return Stream.of(
                Target.of(TargetType.STRING, "c:{id}").withValue("{name}/{id}"),
                Target.of(TargetType.STRING, "c:{id}").withValue("name").withBucket(Bucket.of(100)),
                Target.of(TargetType.STRING, "c:{name}")
                        .withValue("id")
                        .withBucket(Bucket.of(100).withPairs(1_000)),
                Target.of(TargetType.JSON, "c:{id}"),
                hash,
                hash.withTtl(Duration.ofHours(1)),
                hash.withReplaceRow(),
                hash.withField("{id}"));
    }

    @ParameterizedTest
    @MethodSource("targets")
    void aRowIsMappedWithoutAnAllocation(Target target) {
        RowMapping mapping = target.bind(Rows.columns("id", "name", "balance", "active", "city"));
        Row row = Rows.row(7, "Ada Lovelace", new BigDecimal("12.50"), true, Rows.NULL);
        Taker taker = new Taker();
        map(mapping, row, taker, WARM_UP);

        long before = allocatedBytes();
        map(mapping, row, taker, ROWS);
        long allocated = allocatedBytes() - before;

        assertThat(allocated).isLessThan(LIMIT_BYTES);
        assertThat(taker.taken).isPositive();
    }

    @Test
    void aRowIsImportedWithoutAnAllocation() {
        RowMapping mapping = Target.of(TargetType.HASH, "c:{id}")
                .withReplaceRow()
                .bind(Rows.columns("id", "name", "balance", "active", "city"));
        HashImport hashImport = mapping.hashImport().orElseThrow();
        Row row = Rows.row(7, "Ada Lovelace", new BigDecimal("12.50"), true, Rows.NULL);
        Taker taker = new Taker();
        map(mapping, hashImport, row, taker, WARM_UP);

        long before = allocatedBytes();
        map(mapping, hashImport, row, taker, ROWS);
        long allocated = allocatedBytes() - before;

        assertThat(allocated).isLessThan(LIMIT_BYTES);
        assertThat(taker.taken).isPositive();
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

    private static final class Taker implements ArgumentSink {

        private long taken;

        @Override
        public ArgumentSink arg(byte[] bytes, int offset, int length) {
            taken += length;
            return this;
        }

        @Override
        public ArgumentSink arg(long number) {
            taken++;
            return this;
        }
    }
}
