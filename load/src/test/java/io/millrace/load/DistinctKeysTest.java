// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.load.LoadReport.RowsPerKey;
import org.junit.jupiter.api.Test;

class DistinctKeysTest {

    @Test
    void repeatedKeysAreCountedExactly() {
        assertThat(after(3, 3).repetition()).isEmpty();
        assertThat(after(3, 2).repetition()).contains(new RowsPerKey(3, 2, true));
        assertThat(after(200_000, 100_000).repetition()).contains(new RowsPerKey(200_000, 100_000, true));
    }

    @Test
    void manyKeysAreEstimated() {
        RowsPerKey repeated = after(2_000_000, 500_000).repetition().orElseThrow();

        assertThat(repeated.exact()).isFalse();
        assertThat(repeated.rows()).isEqualTo(2_000_000);
        assertThat(repeated.keys()).isBetween(470_000L, 530_000L);
        assertThat(after(500_000, 500_000).repetition())
                .as("no proof of a repetition")
                .isEmpty();
    }

    private static DistinctKeys after(int rows, int keys) {
        DistinctKeys distinct = new DistinctKeys();
        for (int row = 0; row < rows; row++) {
            byte[] key = ("customer:" + row % keys).getBytes(UTF_8);
            distinct.add(key, key.length);
        }
        return distinct;
    }
}
