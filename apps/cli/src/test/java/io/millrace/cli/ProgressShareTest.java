// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.load.LoadEvent.Progress;
import io.millrace.load.LoadEvent.Verifying;
import io.millrace.load.RowCounts;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ProgressShareTest {

    private static final OptionalLong UNKNOWN = OptionalLong.empty();

    @Test
    void rowsInFlightDoNotCountAsDone() {
        assertThat(ProgressShare.of(progress(1_000, 0, 1.0), OptionalLong.of(1_000), UNKNOWN))
                .hasValue(0);
        assertThat(ProgressShare.of(progress(1_000, 0, 1.0), UNKNOWN, UNKNOWN)).hasValue(0);
        assertThat(ProgressShare.of(progress(1_000, 500, 0.5), UNKNOWN, UNKNOWN))
                .hasValue(0.25);
    }

    @Test
    void shareRefersToTheRowLimitIfTheLimitIsReachedBeforeTheEndOfTheSource() {
        assertThat(ProgressShare.of(progress(50, 50, 0.01), UNKNOWN, OptionalLong.of(100)))
                .hasValue(0.5);
        assertThat(ProgressShare.of(progress(50, 50, 0.9), UNKNOWN, OptionalLong.of(1_000_000)))
                .hasValue(0.9);
    }

    @Test
    void shareIsEmptyIfTheTotalIsUnknown() {
        assertThat(ProgressShare.of(new Progress(counts(5, 5), 0, 0, 1), UNKNOWN, UNKNOWN))
                .isEmpty();
        assertThat(ProgressShare.of(new Verifying(5, 0, 1), UNKNOWN, UNKNOWN)).isEmpty();
    }

    @Test
    void shareIsNeverAboveOne() {
        assertThat(ProgressShare.of(progress(2_000, 2_000, 1.0), OptionalLong.of(1_000), UNKNOWN))
                .hasValue(1);
        assertThat(ProgressShare.of(progress(0, 0, 0), OptionalLong.of(0), UNKNOWN))
                .hasValue(0);
    }

    @Test
    void shareOfASampleVerificationIsTheShareOfTheSourceThatWasRead() {
        Verifying sample = new Verifying(5, 0, 1, OptionalDouble.of(0.5));

        assertThat(ProgressShare.of(sample, OptionalLong.of(1_000), UNKNOWN)).hasValue(0.5);
    }

    private static Progress progress(long read, long written, double share) {
        return new Progress(counts(read, written), read - written, 0, 1, OptionalDouble.of(share));
    }

    private static RowCounts counts(long read, long written) {
        return new RowCounts(read, written, 0, 0, 0);
    }
}
