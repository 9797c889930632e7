// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.assertj.core.data.MapEntry;
import org.junit.jupiter.api.Test;

class HeapLogTest {

    @Test
    void everyCollectionGivesWhatItLeft() {
        var log = """
                [0.004s][info][gc] Using Serial
                [0.120s][info][gc] GC(0) Pause Young (Allocation Failure) 68M->1M(247M) 2.1ms
                [0.220s][info][gc] GC(1) Pause Young (Normal) (G1 Evacuation Pause) 70M->12M(247M) 2.1ms
                [0.230s][info][gc] GC(2) Concurrent Mark Cycle
                [0.320s][info][gc] GC(3) Pause Full (Ergonomics) 90M->3M(247M) 9.1ms
                """;

        assertThat(HeapLog.parse(log).mebibytes()).containsExactly(1, 12, 3);
    }

    @Test
    void growthIsTheLeastOfTheLastQuarterToTheLeastOfTheSecond() {
        var flat = new HeapLog(List.of(1, 2, 10, 14, 30, 30, 12, 20));

        assertThat(flat.figures())
                .containsOnly(MapEntry.entry(HeapLog.PEAK, 30.0), MapEntry.entry(HeapLog.GROWTH, 12.0 / 10));
    }

    @Test
    void tooFewCollectionsTellNothingOfGrowth() {
        assertThat(new HeapLog(List.of(1, 2, 3)).figures()).containsOnlyKeys(HeapLog.PEAK);
    }
}
