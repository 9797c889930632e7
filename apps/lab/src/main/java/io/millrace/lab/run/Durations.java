// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.regex.Pattern;

/** Durations as people write them: {@code 1ms}, {@code 0.5ms}, {@code 250us}, {@code 2s}. */
public final class Durations {

    private static final Pattern FORM = Pattern.compile("(\\d+(?:\\.\\d+)?)\\s*(us|ms|s)");

    /**
     * The duration that {@code text} says; {@code 0} is none.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static Duration parse(String text) {
        if (text.equals("0")) {
            return Duration.ZERO;
        }
        var form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException("not a duration: " + text + ". Write 500us, 1ms, 0.5ms or 2s.");
        }
        long unit = switch (form.group(2)) {
            case "us" -> 1_000L;
            case "ms" -> 1_000_000L;
            default -> 1_000_000_000L;
        };
        var nanos = new BigDecimal(form.group(1)).multiply(BigDecimal.valueOf(unit));
        if (nanos.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
            throw new IllegalArgumentException("longer than can be reckoned with: " + text + ".");
        }
        return Duration.ofNanos(nanos.longValue());
    }

    /** Text that {@link #parse} reads, in milliseconds. */
    public static String text(Duration duration) {
        return millis(duration) + "ms";
    }

    /** The number of milliseconds, such as {@code 0.5}. */
    public static String millis(Duration duration) {
        return BigDecimal.valueOf(duration.toNanos(), 6).stripTrailingZeros().toPlainString();
    }

    private Durations() {}
}
