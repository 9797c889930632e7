// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.load.LoadEvent.Progress;
import io.millrace.load.LoadEvent.Verifying;
import io.millrace.load.RowCounts;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** Calculates the share of a job that is done, 0.0 to 1.0. The share is empty if the total is unknown. */
final class ProgressShare {

    private ProgressShare() {}

    /**
     * Returns the share of a load that is done. If the number of rows is known, this is the share of these rows.
     * Otherwise it is the larger of two shares: the share of the source that has been read, and the share of
     * {@code limit} that has been read. Rows in flight do not count as done.
     */
    static OptionalDouble of(Progress progress, OptionalLong expected, OptionalLong limit) {
        RowCounts rows = progress.rows();
        long settled = rows.read() - rows.inFlight();
        if (expected.isPresent()) {
            return share(settled, expected);
        }
        OptionalDouble read = larger(progress.share(), share(rows.read(), limit));
        double ofRead = rows.read() == 0 ? 0 : (double) settled / rows.read();
        return read.isPresent() ? OptionalDouble.of(Math.clamp(read.getAsDouble() * ofRead, 0, 1)) : read;
    }

    /**
     * Returns the share of a verification that is done. The verification of a sample reads more rows than it checks. So
     * the share of the checked rows is only a lower bound. If the share of the source that has been read is larger, the
     * method returns the share of the source.
     */
    static OptionalDouble of(Verifying verifying, OptionalLong expected, OptionalLong limit) {
        OptionalDouble byRows = larger(share(verifying.checked(), expected), share(verifying.checked(), limit));
        return larger(verifying.share(), byRows);
    }

    private static OptionalDouble share(long done, OptionalLong all) {
        if (all.isEmpty()) {
            return OptionalDouble.empty();
        }
        return OptionalDouble.of(all.getAsLong() == 0 ? 0 : Math.clamp((double) done / all.getAsLong(), 0, 1));
    }

    private static OptionalDouble larger(OptionalDouble one, OptionalDouble other) {
        if (one.isEmpty() || other.isEmpty()) {
            return one.isPresent() ? one : other;
        }
        return OptionalDouble.of(Math.max(one.getAsDouble(), other.getAsDouble()));
    }
}
