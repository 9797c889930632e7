// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.load.LoadEvent.Progress;
import io.millrace.load.LoadEvent.Verifying;
import io.millrace.load.RowCounts;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProgressTextTest {

    private static final OptionalLong MILLION = OptionalLong.of(1_000_000);
    private static final Progress QUARTER = progress(252_000, 249_990, 10, 2.0);

    @Test
    void aBarShowsShareRowsRateEtaRejectedAndInFlight() {
        String bar = ProgressText.bar(QUARTER, MILLION, 120);

        assertThat(bar)
                .isEqualTo("load    25% [======>                       ]"
                        + "  250,000 rows  125,000 rows/s  ETA 0:06  10 rejected  2,000 in flight");
    }

    @Test
    void withoutAKnownNumberOfRowsThereIsNoGaugeAndTheTimeThatHasPassed() {
        String bar = ProgressText.bar(QUARTER, OptionalLong.empty(), 120);

        assertThat(bar).isEqualTo("load    250,000 rows  125,000 rows/s  0:02  10 rejected  2,000 in flight");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 5, 20, 40, 60, 79, 80, 200})
    void aBarIsNeverWiderThanTheScreen(int width) {
        assertThat(ProgressText.bar(QUARTER, MILLION, width)).hasSizeLessThanOrEqualTo(width);
        assertThat(ProgressText.bar(new Verifying(10, 0, 1), MILLION, width)).hasSizeLessThanOrEqualTo(width);
    }

    @Test
    void rowsWhoseFateIsOpenDoNotMoveTheGauge() {
        Progress allReadNoneAnswered = progress(1_000_000, 0, 0, 1.0);

        assertThat(ProgressText.bar(allReadNoneAnswered, MILLION, 80)).startsWith("load     0% [");
    }

    @Test
    void aGaugeIsFullOnlyAtTheLastRow() {
        assertThat(ProgressText.bar(progress(999_999, 999_999, 0, 4), MILLION, 80))
                .contains(" 99% [")
                .doesNotContain("=]");
        assertThat(ProgressText.bar(progress(1_000_000, 1_000_000, 0, 4), MILLION, 80))
                .contains("100% [")
                .contains("=]");
    }

    @Test
    void moreRowsThanExpectedAreNotMoreThanAll() {
        assertThat(ProgressText.bar(progress(2_000, 2_000, 0, 1), OptionalLong.of(1_000), 80))
                .contains("100% [")
                .contains("ETA 0:00");
    }

    @Test
    void anEmptySourceDividesNothingByZero() {
        assertThat(ProgressText.bar(progress(0, 0, 0, 0), OptionalLong.of(0), 80))
                .contains("  0% [")
                .contains("0 rows/s");
    }

    @Test
    void aLogLineNamesTheWhole() {
        assertThat(ProgressText.log(QUARTER, MILLION))
                .isEqualTo(
                        "load: 250,000 rows of 1,000,000 (25%), 125,000 rows/s, ETA 0:06, 10 rejected, 2,000 in flight");
        assertThat(ProgressText.log(new Verifying(500_000, 3, 4000), MILLION))
                .isEqualTo("verify: 500,000 rows of 1,000,000 (50%), 125 rows/s, ETA 1:06:40, 3 differ");
    }

    @Test
    void machinesGetOneObjectPerLine() {
        assertThat(ProgressText.ndjson(QUARTER))
                .isEqualTo(
                        "{\"phase\":\"load\",\"rows\":{\"read\":252000,\"written\":249990,\"rejected\":10,\"skipped\":0,"
                                + "\"unconfirmed\":0},\"inFlight\":2000,\"bytesSent\":7,\"seconds\":2.000}");
        assertThat(ProgressText.ndjson(new Verifying(5, 1, 0.5)))
                .isEqualTo("{\"phase\":\"verify\",\"checked\":5,\"mismatched\":1,\"seconds\":0.500}");
    }

    private static Progress progress(long read, long written, long rejected, double seconds) {
        return new Progress(new RowCounts(read, written, rejected, 0, 0), read - written - rejected, 7, seconds);
    }
}
