// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class ScheduleTest {

    @Test
    void contendersTakeTurnsAfterAWarmUpRound() {
        var schedule = new Schedule<>(List.of("A", "B", "C"), 1, 2);

        var turns =
                schedule.turns().map(turn -> turn.round() + turn.contender()).toList();

        assertThat(turns).containsExactly("0A", "0B", "0C", "1A", "1B", "1C", "2A", "2B", "2C");
    }

    @Test
    void severalWarmUpRoundsEndWithNumberZero() {
        var turns = new Schedule<>(List.of("A"), 3, 1).turns().map(Schedule.Turn::round);

        assertThat(turns).containsExactly(-2, -1, 0, 1);
    }

    @Test
    void withoutAWarmUpTheFirstRoundCounts() {
        var turns = new Schedule<>(List.of("A"), 0, 1).turns().map(Schedule.Turn::round);

        assertThat(turns).containsExactly(1);
    }

    @Test
    void aScheduleWithoutContendersOrRoundsIsRefused() {
        assertThatThrownBy(() -> new Schedule<>(List.of(), 1, 5)).hasMessageContaining("contenders=0");
        assertThatThrownBy(() -> new Schedule<>(List.of("A"), 1, 0)).hasMessageContaining("rounds=0");
        assertThatThrownBy(() -> new Schedule<>(List.of("A"), -1, 1)).hasMessageContaining("warmUps=-1");
    }
}
