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

        rows.forEach(row -> ranges.add(row, row + 1));

        assertThat(ranges.list())
                .as("seed=%d", seed)
                .containsExactly(
                        new RowRange(1, 99, 2, 100, 99),
                        new RowRange(101, 199, 102, 200, 99),
                        new RowRange(201, 299, 202, 300, 99));
    }

    @Test
    void numberOfRangesIsLimitedAndNoRowIsForgotten() {
        RowRanges ranges = new RowRanges();
        long rows = 5L * RowRanges.MAX_RANGES;

        for (long i = 0; i < rows; i++) {
            ranges.add(1 + 3 * i, 0);
        }
        ranges.add(2, 0);

        List<RowRange> list = ranges.list();
        assertThat(list).hasSizeLessThanOrEqualTo(RowRanges.MAX_RANGES);
        assertThat(list.stream().mapToLong(RowRange::unconfirmed).sum()).isEqualTo(rows + 1);
        assertThat(list.getFirst().firstRow()).isEqualTo(1);
        assertThat(list.getLast().lastRow()).isEqualTo(1 + 3 * (rows - 1));
    }

    @Test
    void textNamesRowsAndLines() {
        assertThat(new RowRange(17, 90, 18, 91, 74).text()).isEqualTo("rows 17 to 90 (lines 18 to 91)");
        assertThat(new RowRange(17, 17, 0, 0, 1).text()).isEqualTo("row 17");
    }

    @Test
    void inconsistentRangeIsRefused() {
        assertThatThrownBy(() -> new RowRange(2, 3, 0, 0, 3))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the range is inconsistent: firstRow=2, lastRow=3, unconfirmed=3");
    }
}
