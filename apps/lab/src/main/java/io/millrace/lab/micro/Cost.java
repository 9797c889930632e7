// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.micro;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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

    /** Most nanoseconds and most allocated bytes of one operation. Infinite bytes are no limit. */
    record Limit(double nanos, double bytes) {

        static Limit ofNanos(double nanos) {
            return new Limit(nanos, Double.POSITIVE_INFINITY);
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "limit %.0f ns", nanos)
                    + (Double.isInfinite(bytes) ? "" : String.format(Locale.ROOT, ", %.0f bytes", bytes));
        }
    }

    /**
     * Limit of the command listener, and of the timers of Micrometer. The smallest object has 16 bytes. JMH itself allocates some objects in each
     * iteration, so 1 byte is allowed.
     */
    static final Limit LISTENER = new Limit(100, 1);

    /** Limit of a hit in the near cache of one caller. */
    static final Limit NEAR_HIT = Limit.ofNanos(200);

    /** Most nanoseconds that rate, deadline and retries may add to a task of a flow. */
    static final double EXTRA_NANOS_OF_TASK = 300;

    private static final String ALLOCATION = "gc.alloc.rate.norm";

    /** The costs of all results. A limit may depend on the cost of another benchmark of the same run. */
    static List<Cost> of(Collection<RunResult> results) {
        return besideEachOther(results.stream().map(Cost::of).toList());
    }

    /**
     * Limits the task of a flow with rate, deadline and retries: it may cost {@link #EXTRA_NANOS_OF_TASK} more than the
     * task of a plain flow with the same parameters. There is no limit if the plain flow was not measured.
     */
    static List<Cost> besideEachOther(List<Cost> costs) {
        Map<String, Cost> plain = costs.stream()
                .filter(cost -> cost.benchmark.contains(parameter(HandOverBenchmark.PLAIN_FLOW)))
                .collect(Collectors.toMap(Cost::benchmark, cost -> cost));
        return costs.stream()
                .map(cost -> Optional.ofNullable(plain.get(cost.nameOfPlainFlow()))
                        .filter(base -> !base.equals(cost))
                        .map(base -> cost.withLimit(Limit.ofNanos(base.nanos + EXTRA_NANOS_OF_TASK)))
                        .orElse(cost))
                .toList();
    }

    private String nameOfPlainFlow() {
        return benchmark.replace(parameter(HandOverBenchmark.LIMITED_FLOW), parameter(HandOverBenchmark.PLAIN_FLOW));
    }

    /** The parameter as {@link #name} writes it. Another parameter follows, so the space ends the value. */
    private static String parameter(String library) {
        return " library=" + library + " ";
    }

    private Cost withLimit(Limit newLimit) {
        return new Cost(benchmark, nanos, error, bytes, Optional.of(newLimit));
    }

    private static Cost of(RunResult result) {
        Result<?> allocation = result.getSecondaryResults().get(ALLOCATION);
        return new Cost(
                name(result.getParams()),
                result.getPrimaryResult().getScore(),
                result.getPrimaryResult().getScoreError(),
                allocation == null ? Double.NaN : allocation.getScore(),
                limit(result.getParams().getBenchmark()));
    }

    private static Optional<Limit> limit(String benchmark) {
        if (benchmark.contains(ListenerBenchmark.class.getName())
                || benchmark.contains(MetersBenchmark.class.getName())) {
            return Optional.of(LISTENER);
        }
        return benchmark.contains(NearHitBenchmark.class.getName()) ? Optional.of(NEAR_HIT) : Optional.empty();
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
        return limit.map(most -> values + "; " + most + ": " + (isWithinLimits() ? "held" : "NOT held"))
                .orElse(values);
    }
}
