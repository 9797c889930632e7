// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LettersTest {

    private static Step step(int batches, int tasks) {
        return new Step(batches, tasks, 10, 1_000);
    }

    @Test
    void aLetterStandsForABatchAndForAsManyTasksAsHaveToShareOne() {
        var letters = new Letters(60);

        assertThat(letters.after(step(1, 0))).isEqualTo("P");
        assertThat(letters.after(step(0, 19))).isEqualTo("P");
        assertThat(letters.after(step(0, 1))).isEqualTo("PC");
        assertThat(letters.after(step(2, 60))).isEqualTo("PCPPCCC");
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 11, 17, 40, 109, 2_000})
    void theWholeRoundFitsIntoTheRoomAndUsesIt(int room) {
        var letters = new Letters(room);
        var line = "";
        for (int i = 0; i < 1_000; i++) {
            line = letters.after(new Step(i % 100 == 0 ? 1 : 0, 1, 10, 1_000));
        }

        assertThat(line)
                .hasSizeLessThanOrEqualTo(room)
                .hasSizeGreaterThan(Math.min(room, 1_010) / 2)
                .startsWith("P")
                .endsWith("C");
    }

    @Test
    void theTraceMergesBothByTime() {
        assertThat(new Trace(List.of(10.0, 20.0), 5, List.of(12.0, 19.9, 20.0, 25.0)).letters())
                .isEqualTo("PCCPCC");
        assertThat(new Trace(List.of(), 5, List.of()).letters()).isEmpty();
    }
}
