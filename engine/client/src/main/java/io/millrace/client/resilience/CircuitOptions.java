// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.resilience;

import io.millrace.client.Setting;
import io.millrace.client.Setting.Unit;
import java.time.Duration;

/**
 * Options of a {@link CircuitBreaker}. The constants document the range and the default of each setting, and the reason
 * for the default.
 *
 * @param window number of last calls whose results count, {@link #WINDOW}
 * @param failurePercent share of failures at which the circuit breaker opens, {@link #FAILURE_PERCENT}
 * @param openFor time for which an open circuit breaker refuses all calls, {@link #OPEN_FOR}
 * @param probes number of successful calls that close the circuit breaker again, {@link #PROBES}
 */
public record CircuitOptions(int window, int failurePercent, Duration openFor, int probes) {

    /**
     * Range: 1 to 100,000. Default: 100, as in Resilience4j. The circuit breaker never opens before the window is full.
     */
    public static final Setting<Integer> WINDOW =
            new Setting<>("window", 1, 100_000, 100, Unit.COUNT, "Number of last calls whose results count.");

    /** Range: 1 to 100. Default: 50, as in Resilience4j. */
    public static final Setting<Integer> FAILURE_PERCENT = new Setting<>(
            "failurePercent", 1, 100, 50, Unit.COUNT, "Percentage of failures that opens the circuit breaker.");

    /** Range: 1 ms to 1 h. Default: 5 s. The client needs at most two seconds to connect to a server that works again. */
    public static final Setting<Duration> OPEN_FOR = new Setting<>(
            "openFor",
            Duration.ofMillis(1),
            Duration.ofHours(1),
            Duration.ofSeconds(5),
            Unit.TIME,
            "Time for which an open circuit breaker refuses all calls.");

    /** Range: 1 to 1,000. Default: 3. A single success may be the last reply before the next outage. */
    public static final Setting<Integer> PROBES = new Setting<>(
            "probes", 1, 1_000, 3, Unit.COUNT, "Number of successful calls that close the circuit breaker.");

    /** The default of each setting. */
    public static final CircuitOptions DEFAULT = new CircuitOptions(
            WINDOW.defaultValue(), FAILURE_PERCENT.defaultValue(), OPEN_FOR.defaultValue(), PROBES.defaultValue());

    public CircuitOptions {
        WINDOW.check(window);
        FAILURE_PERCENT.check(failurePercent);
        OPEN_FOR.check(openFor);
        PROBES.check(probes);
    }

    /** Returns a copy with this window and this share of failures. */
    public CircuitOptions withWindow(int newWindow, int newFailurePercent) {
        return new CircuitOptions(newWindow, newFailurePercent, openFor, probes);
    }

    /** Returns a copy that stays open for {@code newOpenFor} and then needs {@code newProbes} successful calls. */
    public CircuitOptions withRecovery(Duration newOpenFor, int newProbes) {
        return new CircuitOptions(window, failurePercent, newOpenFor, newProbes);
    }
}
