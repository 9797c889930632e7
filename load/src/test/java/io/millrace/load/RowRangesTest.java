// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RowRangesTest {

    @Test
    void adjacentRowsAreOneRangeInAnyOrder() {
        long seed = new Random().nextLong();
        List<Long> rows = new ArrayList<>();
        for (long row = 1; row <= 300; row++) {
            if (row % 100 != 0) {
                rows.add(row);
            }
        }
        Collections.shuffle(rows, new Random(seed));
        RowRanges ranges = new RowRanges();

        rows.forEach(row -> ranges.add(row, row + 1, ""));

        assertThat(ranges.list())
                .as("seed=%d", seed)
                .containsExactly(
                        new RowRange(1, 99, 2, 100, 99, ""),
                        new RowRange(101, 199, 102, 200, 99, ""),
                        new RowRange(201, 299, 202, 300, 99, ""));
    }

    @Test
    void numberOfRangesIsLimitedAndNoRowIsForgotten() {
        RowRanges ranges = new RowRanges();
        long rows = 5L * RowRanges.MAX_RANGES;

        for (long i = 0; i < rows; i++) {
            ranges.add(1 + 3 * i, 0, "");
        }
        ranges.add(2, 0, "");

        List<RowRange> list = ranges.list();
        assertThat(list).hasSizeLessThanOrEqualTo(RowRanges.MAX_RANGES);
        assertThat(list.stream().mapToLong(RowRange::unconfirmed).sum()).isEqualTo(rows + 1);
        assertThat(list.getFirst().firstRow()).isEqualTo(1);
        assertThat(list.getLast().lastRow()).isEqualTo(1 + 3 * (rows - 1));
    }

    @Test
    void rangeHasRowsOfOneFile() {
        RowRanges ranges = new RowRanges();

        for (long row : new long[] {1_000, 1_002, 999, 1_001, 1_003}) {
            ranges.add(row, row <= 1_000 ? row + 1 : row - 999, row <= 1_000 ? "a.csv" : "b.csv");
        }

        assertThat(ranges.list())
                .containsExactly(
                        new RowRange(999, 1_000, 1_000, 1_001, 2, "a.csv"),
                        new RowRange(1_001, 1_003, 2, 4, 3, "b.csv"));
        assertThat(ranges.list().getFirst().to(ranges.list().getLast()))
                .isEqualTo(new RowRange(999, 1_003, 0, 0, 5, ""));
    }

    @Test
    void textNamesRowsAndLines() {
        assertThat(new RowRange(17, 90, 18, 91, 74, "").text()).isEqualTo("rows 17 to 90 (lines 18 to 91)");
        assertThat(new RowRange(17, 17, 0, 0, 1, "").text()).isEqualTo("row 17");
        assertThat(new RowRange(17, 18, 2, 3, 2, "b.csv").text()).isEqualTo("rows 17 to 18 (lines 2 to 3 of b.csv)");
        assertThat(new RowRange(17, 18, 0, 0, 2, "b.db").text()).isEqualTo("rows 17 to 18 of b.db");
    }

    @Test
    void rangesWithCommonRowsBecomeOneRange() {
        RowRanges ranges = new RowRanges();
        ranges.add(new RowRange(10, 40, 11, 41, 12, ""));
        ranges.add(new RowRange(60, 80, 61, 81, 5, ""));
        ranges.add(100, 101, "");
        ranges.add(new RowRange(90, 95, 91, 96, 6, ""));

        ranges.add(new RowRange(30, 70, 31, 71, 20, ""));
        ranges.add(35, 36, "");

        assertThat(ranges.list())
                .containsExactly(
                        new RowRange(10, 80, 11, 81, 38, ""),
                        new RowRange(90, 95, 91, 96, 6, ""),
                        new RowRange(100, 100, 101, 101, 1, ""));
    }

    @Test
    void inconsistentRangeIsRefused() {
        assertThatThrownBy(() -> new RowRange(2, 3, 0, 0, 3, ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the range is inconsistent: firstRow=2, lastRow=3, unconfirmed=3");
    }
}
