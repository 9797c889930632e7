// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class ScheduleTest {

    @Test
    void contendersTakeTurnsAfterAWarmUpRound() {
        var schedule = new Schedule<>(List.of("A", "B", "C"), 2);

        var turns =
                schedule.turns().map(turn -> turn.round() + turn.contender()).toList();

        assertThat(turns).containsExactly("0A", "0B", "0C", "1A", "1B", "1C", "2A", "2B", "2C");
    }

    @Test
    void aScheduleWithoutContendersOrRoundsIsRefused() {
        assertThatThrownBy(() -> new Schedule<>(List.of(), 5)).hasMessageContaining("contenders=0");
        assertThatThrownBy(() -> new Schedule<>(List.of("A"), 0)).hasMessageContaining("rounds=0");
    }
}
