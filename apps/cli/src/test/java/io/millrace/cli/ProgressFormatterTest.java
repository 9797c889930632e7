// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.load.LoadEvent.Progress;
import io.millrace.load.LoadEvent.Verifying;
import io.millrace.load.RowCounts;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProgressFormatterTest {

    private static final OptionalDouble A_QUARTER = OptionalDouble.of(0.25);
    private static final Progress QUARTER = progress(252_000, 249_990, 10, 2.0);

    @Test
    void barShowsShareRowsRateEtaRejectedAndInFlight() {
        String bar = ProgressFormatter.bar(QUARTER, A_QUARTER, 120);

        assertThat(bar)
                .isEqualTo("load    25% [======>                       ]"
                        + "  250,000 rows  125,000 rows/s  ETA 0:06  10 rejected  2,000 in flight");
    }

    @Test
    void barWithoutAShareShowsElapsedTimeAndNoGauge() {
        String bar = ProgressFormatter.bar(QUARTER, OptionalDouble.empty(), 120);

        assertThat(bar).isEqualTo("load    250,000 rows  125,000 rows/s  0:02  10 rejected  2,000 in flight");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 5, 20, 40, 60, 79, 80, 200})
    void barIsNeverWiderThanTheTerminal(int width) {
        assertThat(ProgressFormatter.bar(QUARTER, A_QUARTER, width)).hasSizeLessThanOrEqualTo(width);
        assertThat(ProgressFormatter.bar(new Verifying(10, 0, 1), A_QUARTER, width))
                .hasSizeLessThanOrEqualTo(width);
    }

    @Test
    void gaugeIsFullOnlyAtTheEnd() {
        assertThat(ProgressFormatter.bar(QUARTER, OptionalDouble.of(0.999999), 80))
                .contains(" 99% [")
                .doesNotContain("=]");
        assertThat(ProgressFormatter.bar(QUARTER, OptionalDouble.of(1), 80))
                .contains("100% [")
                .contains("=]")
                .contains("ETA 0:00");
    }

    @Test
    void progressAtTheStartDoesNotDivideByZero() {
        assertThat(ProgressFormatter.bar(progress(0, 0, 0, 0), OptionalDouble.of(0), 80))
                .contains("  0% [")
                .contains("0 rows/s  0:00");
    }

    @Test
    void logLineShowsTheShare() {
        assertThat(ProgressFormatter.log(QUARTER, A_QUARTER))
                .isEqualTo("load: 250,000 rows (25%), 125,000 rows/s, ETA 0:06, 10 rejected, 2,000 in flight");
        assertThat(ProgressFormatter.log(new Verifying(500_000, 3, 4000), OptionalDouble.of(0.5)))
                .isEqualTo("verify: 500,000 rows (50%), 125 rows/s, ETA 1:06:40, 3 differ");
    }

    @Test
    void ndjsonIsOneObjectPerLine() {
        assertThat(ProgressFormatter.ndjson(QUARTER, A_QUARTER))
                .isEqualTo(
                        "{\"phase\":\"load\",\"rows\":{\"read\":252000,\"written\":249990,\"rejected\":10,\"skipped\":0,"
                                + "\"unconfirmed\":0},\"inFlight\":2000,\"bytesSent\":7,\"seconds\":2.000,\"share\":0.250}");
        assertThat(ProgressFormatter.ndjson(new Verifying(5, 1, 0.5), OptionalDouble.empty()))
                .isEqualTo("{\"phase\":\"verify\",\"checked\":5,\"mismatched\":1,\"seconds\":0.500}");
    }

    private static Progress progress(long read, long written, long rejected, double seconds) {
        return new Progress(new RowCounts(read, written, rejected, 0, 0), read - written - rejected, 7, seconds);
    }
}
