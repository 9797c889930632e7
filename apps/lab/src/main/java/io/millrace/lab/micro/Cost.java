// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.micro;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;

/**
 * The measured cost of one operation. A value that JMH did not measure is {@link Double#NaN}.
 *
 * @param benchmark class, method and parameters of the benchmark
 * @param nanos mean time in nanoseconds
 * @param error half of the 99.9 % confidence interval of {@code nanos}, over all forks and iterations
 * @param bytes allocated memory in bytes
 * @param limit what Millrace promises; empty if there is no promise
 */
record Cost(String benchmark, double nanos, double error, double bytes, Optional<Limit> limit) {

    /** Most nanoseconds and most allocated bytes of one operation. */
    record Limit(double nanos, double bytes) {}

    /**
     * Limit of the command listener. The smallest object has 16 bytes. JMH itself allocates some objects in each
     * iteration, so 1 byte is allowed.
     */
    static final Limit LISTENER = new Limit(100, 1);

    private static final String ALLOCATION = "gc.alloc.rate.norm";

    static Cost of(RunResult result) {
        Result<?> allocation = result.getSecondaryResults().get(ALLOCATION);
        return new Cost(
                name(result.getParams()),
                result.getPrimaryResult().getScore(),
                result.getPrimaryResult().getScoreError(),
                allocation == null ? Double.NaN : allocation.getScore(),
                result.getParams().getBenchmark().contains(ListenerBenchmark.class.getName())
                        ? Optional.of(LISTENER)
                        : Optional.empty());
    }

    private static String name(BenchmarkParams params) {
        String full = params.getBenchmark();
        String name = full.substring(full.lastIndexOf('.', full.lastIndexOf('.') - 1) + 1);
        return params.getParamsKeys().stream()
                .map(key -> " " + key + "=" + params.getParam(key))
                .collect(Collectors.joining("", name, ""));
    }

    /** Whether both values are measured, and within the limit if there is one. */
    boolean isWithinLimits() {
        double maxNanos = limit.map(Limit::nanos).orElse(Double.MAX_VALUE);
        double maxBytes = limit.map(Limit::bytes).orElse(Double.MAX_VALUE);
        return nanos <= maxNanos && bytes <= maxBytes;
    }

    /** The values in one line, with the limit and the verdict. */
    String line() {
        String values = String.format(Locale.ROOT, "%s: %.1f ns (± %.1f), %.3f bytes", benchmark, nanos, error, bytes);
        return limit.map(most -> String.format(
                        Locale.ROOT,
                        "%s; limit %.0f ns, %.0f bytes: %s",
                        values,
                        most.nanos,
                        most.bytes,
                        isWithinLimits() ? "held" : "NOT held"))
                .orElse(values);
    }
}
