// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.lab.client.Operation;
import io.millrace.lab.experiment.Mix;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.server.LabException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PairDataTest {

    @Test
    void callersShareNoKey() {
        PairData data = PairData.of(Parameters.DEFAULT, 64);
        Set<String> keys = new HashSet<>();
        int keysOfCallers = 0;

        for (int caller = 0; caller < 64; caller++) {
            Set<String> mine = new HashSet<>();
            PairData.Walk walk = data.walk(caller);
            for (int n = 0; n < 1_000; n++) {
                mine.add(walk.next().command().key());
            }
            keysOfCallers += mine.size();
            keys.addAll(mine);
        }

        assertThat(keys).hasSize(keysOfCallers).hasSize(64 * (10_000 / 64));
    }

    /** The right reply to every GET is the last value that the same caller has set. */
    @ParameterizedTest
    @CsvSource({"1, 1, 16", "9, 1, 16", "1, 9, 1000", "3, 2, 100000"})
    void getHasTheLastValueThatTheCallerSet(int reads, int writes, int payloadBytes) {
        PairData data = PairData.of(Parameters.DEFAULT, 4, payloadBytes, new Mix(reads, writes));
        PairData.Walk walk = data.walk(3);
        Map<String, String> values = new HashMap<>();
        int checked = 0;

        for (int n = 0; n < 20_000; n++) {
            switch (walk.next().command()) {
                case Operation.Set set -> {
                    assertThat(set.value()).hasSize(payloadBytes).isNotEqualTo(values.put(set.key(), set.value()));
                }
                case Operation.Get get
                when values.containsKey(get.key()) -> {
                    walk.check(values.get(get.key()));
                    checked++;
                }
                default -> {}
            }
        }

        assertThat(checked).isGreaterThan(500);
    }

    @Test
    void everyOtherReplyIsWrong() {
        PairData.Walk walk = PairData.of(Parameters.DEFAULT, 8).walk(3);
        Operation.Set set = (Operation.Set) walk.next().command();
        walk.check(null);

        walk.next().check(set.value());

        assertThatThrownBy(() -> walk.check(null)).isInstanceOf(LabException.class);
        assertThatThrownBy(() -> walk.check("000001"))
                .isInstanceOf(LabException.class)
                .hasMessageContaining("key=" + set.key() + ", expected=" + set.value() + ", reply=000001");
    }

    /** A command is sent when the command a window before has its reply. */
    @Test
    void setAndGetOfOneKeyAreNeverInFlightTogether() {
        int window = 100;
        PairData.Walk walk = PairData.inFlight(Parameters.DEFAULT, window).walk(0);
        Map<String, Integer> last = new HashMap<>();

        for (int n = 0; n < 5_000; n++) {
            Integer before = last.put(walk.next().command().key(), n);

            assertThat(before == null || n - before >= window).isTrue();
        }
    }
}
