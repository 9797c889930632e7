// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationsTest {

    @ParameterizedTest
    @CsvSource({"0, 0", "1ms, 1000000", "0.5ms, 500000", "250us, 250000", "2s, 2000000000", "1.5 s, 1500000000"})
    void aDurationIsReadAsPeopleWriteIt(String text, long nanos) {
        assertThat(Durations.parse(text)).isEqualTo(Duration.ofNanos(nanos));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 1_000, 500_000, 1_000_000, 1_234_567, 10_000_000, 160_000_000, 2_000_000_000})
    void whatIsWrittenIsReadAgain(long nanos) {
        var duration = Duration.ofNanos(nanos);

        assertThat(Durations.parse(Durations.text(duration))).isEqualTo(duration);
    }

    @ParameterizedTest
    @CsvSource({"0, 0ms", "500000, 0.5ms", "10000000, 10ms", "160000000, 160ms", "2000000000, 2000ms"})
    void aDurationIsWrittenInMilliseconds(long nanos, String text) {
        assertThat(Durations.text(Duration.ofNanos(nanos))).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "ms", "-1ms", "1 min", "1e3ms", "1ms ", "0x1ms", ".5ms", "1.ms", "٣ms", "1,5ms"})
    void anythingElseIsRefused(String text) {
        assertThatThrownBy(() -> Durations.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("not a duration: " + text + ". Write 500us, 1ms, 0.5ms or 2s.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"99999999999999999999s", "9223372037s"})
    void oneThatDoesNotFitIsRefusedRatherThanWrapped(String text) {
        assertThatThrownBy(() -> Durations.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }
}
