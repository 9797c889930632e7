// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Setting.Unit;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests how a setting checks its value, and how it converts ranges and values to text. */
class SettingTest {

    private static final Setting<Integer> COUNT = new Setting<>("count", 2, 2_000, 1_000, Unit.COUNT, "A count.");
    private static final Setting<Double> FRACTION = new Setting<>("part", 0.0, 0.9, 0.1, Unit.FRACTION, "A part.");
    private static final Setting<Duration> OPTIONAL = new Setting<>(
            "lease", Duration.ofMillis(100), Duration.ofHours(1), Duration.ZERO, Unit.TIME_OR_ZERO, "A lease.");

    @Test
    void smallestAndLargestValueOfTheRangeAreLegal() {
        assertThat(COUNT.check(2)).isEqualTo(2);
        assertThat(COUNT.check(2_000)).isEqualTo(2_000);
        assertThat(FRACTION.check(-0.0)).isEqualTo(-0.0);
        assertThat(FRACTION.check(0.9)).isEqualTo(0.9);
    }

    @Test
    void valueOutOfRangeIsRejectedAndTheMessageContainsTheRange() {
        assertThatThrownBy(() -> COUNT.check(1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("count=1 is out of range: 2 to 2,000.");
        assertThatThrownBy(() -> FRACTION.check(Double.NaN)).hasMessage("part=NaN is out of range: 0 to 0.9.");
        assertThatThrownBy(() -> FRACTION.check(1.0)).hasMessage("part=1 is out of range: 0 to 0.9.");
        assertThatThrownBy(() -> Setting.checkArgument("offset", 8, 0, 7))
                .hasMessage("offset=8 is out of range: 0 to 7.");
        assertThatThrownBy(() -> Setting.checkArgument("share", -0.5, 0.0, 1.0))
                .hasMessage("share=-0.5 is out of range: 0 to 1.");
    }

    @Test
    void zeroIsLegalOnlyForATimeSettingThatAllowsZero() {
        assertThat(OPTIONAL.check(Duration.ZERO)).isZero();
        assertThatThrownBy(() -> OPTIONAL.check(Duration.ofMillis(1)))
                .hasMessage("lease=1 ms is out of range: zero, or 100 ms to 1 h.");
        assertThatThrownBy(() -> ClientOptions.CONNECT_TIMEOUT.check(Duration.ZERO))
                .hasMessage("connectTimeout=zero is out of range: 1 ms to 10 min.");
    }

    @Test
    void defaultOutOfRangeIsRejected() {
        assertThatThrownBy(() -> new Setting<>("count", 2, 20, 1, Unit.COUNT, "A count."))
                .hasMessage("default of count=1 is out of range: 2 to 20.");
    }

    @Test
    void maximumOfLongMaxValueIsShownAsNoLimit() {
        Setting<Long> rows = new Setting<>("rows", 1L, Long.MAX_VALUE, Long.MAX_VALUE, Unit.COUNT, "Rows.");

        assertThat(rows.rangeText()).isEqualTo("at least 1");
        assertThat(rows.defaultText()).isEqualTo("no limit");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0 bytes",
        "1, 1 byte",
        "1000, '1,000 bytes'",
        "1024, 1 KB",
        "1025, '1,025 bytes'",
        "8388608, 8 MB",
        "1073741823, just under 1 GB",
        "1073741824, 1 GB",
        "1099511627776, 1 TB",
        "2251799813685248, '2,048 TB'",
        "9223372036854775807, '9,223,372,036,854,775,807 bytes'",
    })
    void sizeIsShownInItsLargestExactUnit(long bytes, String text) {
        assertThat(Unit.BYTES.text(bytes)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "PT0S, zero",
        "PT0.001S, 1 ms",
        "PT1.5S, '1,500 ms'",
        "PT-0.005S, -5 ms",
        "PT0.0000001S, PT0.0000001S",
        "PT10S, 10 s",
        "PT61S, 61 s",
        "PT1M, 1 min",
        "PT90M, 90 min",
        "PT24H, 24 h",
        "P2D, 2 days",
        "P36500D, '36,500 days'",
    })
    void timeIsShownInItsLargestExactUnit(Duration time, String text) {
        assertThat(Unit.TIME.text(time)).isEqualTo(text);
    }

    @Test
    void portNumberIsShownWithoutThousandsSeparator() {
        assertThat(RedisUri.PORT.rangeText()).isEqualTo("1 to 65535");
        assertThat(RedisUri.PORT.defaultText()).isEqualTo("6379");
    }
}
