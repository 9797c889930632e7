// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RangeTest {

    @ParameterizedTest
    @CsvSource({
        "0,10,3",
        "0,10,1",
        "5,7,4",
        "-100,100,7",
        "0,0,2",
        "0,9223372036854775807,16",
        "1,9223372036854775807,3"
    })
    void partsAreConsecutiveAndAlmostEqual(long from, long to, int parts) {
        List<Range> split = new Range(from, to).split(parts);

        assertThat(split).hasSize(parts);
        assertThat(split.getFirst().from()).isEqualTo(from);
        assertThat(split.getLast().to()).isEqualTo(to);
        for (int i = 1; i < parts; i++) {
            assertThat(split.get(i).from()).isEqualTo(split.get(i - 1).to());
        }
        long least = split.stream().mapToLong(Range::size).min().orElseThrow();
        assertThat(split).allMatch(part -> part.size() - least <= 1);
    }

    @Test
    void invalidRangeIsRejected() {
        assertThatThrownBy(() -> new Range(2, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("invalid range: from=2, to=1");
        assertThatThrownBy(() -> new Range(Long.MIN_VALUE, 1)).isInstanceOf(IllegalArgumentException.class);
    }
}
