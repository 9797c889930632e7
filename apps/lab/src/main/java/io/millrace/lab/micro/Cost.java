// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.micro;

import java.util.Locale;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;

/**
 * The measured cost of a listener per command. A value that JMH did not measure is {@link Double#NaN}.
 *
 * @param benchmark class and method of the benchmark
 * @param nanos mean time in nanoseconds
 * @param bytes allocated memory in bytes
 */
record Cost(String benchmark, double nanos, double bytes) {

    /** Most nanoseconds per command. */
    static final double MAX_NANOS = 100;

    /**
     * Most allocated bytes per command. The smallest object has 16 bytes; the few bytes below the limit belong to JMH,
     * which allocates some objects in each iteration.
     */
    static final double MAX_BYTES = 1;

    private static final String ALLOCATION = "gc.alloc.rate.norm";

    static Cost of(RunResult result) {
        String name = result.getParams().getBenchmark();
        Result<?> allocation = result.getSecondaryResults().get(ALLOCATION);
        return new Cost(
                name.substring(name.lastIndexOf('.', name.lastIndexOf('.') - 1) + 1),
                result.getPrimaryResult().getScore(),
                allocation == null ? Double.NaN : allocation.getScore());
    }

    /** Whether both values are measured and within their limits. */
    boolean isWithinLimits() {
        return nanos <= MAX_NANOS && bytes <= MAX_BYTES;
    }

    /** Both values, their limits and the verdict in one line. */
    String line() {
        return String.format(
                Locale.ROOT,
                "%s: %.1f ns per command (at most %.0f), %.3f bytes per command (at most %.0f): %s",
                benchmark,
                nanos,
                MAX_NANOS,
                bytes,
                MAX_BYTES,
                isWithinLimits() ? "within the limits" : "NOT within the limits");
    }
}
