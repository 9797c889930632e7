// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.load.source.Row;
import io.millrace.load.target.HashTarget;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;

class RowSampleTest {

    private static final StructType SCHEMA = new StructType().add("id", DataTypes.LongType);

    /** A sample of the rows with the numbers 1 to {@code rows}. */
    private static RowSample sample(int rows, long maxBytes) {
        RowSample sample = new RowSample(HashTarget.of("row:{id}").bind(RowFiller.columns(SCHEMA)), 1, maxBytes);
        Row row = new Row();
        RowFiller filler = new RowFiller(SCHEMA);
        for (long number = 1; number <= rows; number++) {
            InternalRow from = new GenericInternalRow(new Object[] {number});
            row.clear(number, 0);
            filler.fill(from, row);
            sample.add(from, row);
        }
        return sample;
    }

    private static List<Long> ids(RowSample sample) {
        List<Long> ids = new ArrayList<>();
        sample.rows().forEachRemaining(row -> ids.add(row.getLong(0)));
        return ids;
    }

    @Test
    void sampleWithinItsMemoryKeepsHalfOfItsKeys() {
        int all = ids(sample(10_000, 1L << 40)).size();
        int some = ids(sample(10_000, 400_000)).size();

        assertThat(all).isEqualTo(10_000);
        assertThat(some).isBetween(500, 4_000);
    }

    @Test
    void refusedRowIsNotReadBack() {
        RowSample sample = sample(10, 1L << 40);

        sample.refused(4);

        assertThat(ids(sample)).containsExactly(1L, 2L, 3L, 5L, 6L, 7L, 8L, 9L, 10L);
    }

    @Test
    void rejectedRowsOutsideOfTheSampleNeedNoMemory() {
        RowSample sample = sample(10_000, 400_000);
        int kept = ids(sample).size();

        for (long number = 1; number <= 100_000; number++) {
            sample.refused(number);
        }

        assertThat(sample.refusedRows()).isEqualTo(kept);
        assertThat(ids(sample)).isEmpty();
    }
}
