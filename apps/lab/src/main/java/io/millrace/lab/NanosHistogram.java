// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

/** Counts of short times, in steps of {@value #STEP_NANOS} ns, in memory that does not grow. Used by one thread. */
final class NanosHistogram {

    private static final int STEP_NANOS = 10;

    /** The last step holds everything from 100 us. */
    private final long[] counts = new long[10_000];

    private long total;

    void add(long nanos) {
        counts[(int) Math.min(nanos / STEP_NANOS, counts.length - 1)]++;
        total++;
    }

    /** The time, to the step, below or at which a {@code share} of all lie, 0.0 to 1.0; 0 if there are none. */
    long quantile(double share) {
        long below = 0;
        for (int step = 0; step < counts.length; step++) {
            below += counts[step];
            if (below > 0 && below >= share * total) {
                return (long) step * STEP_NANOS;
            }
        }
        return 0;
    }
}
