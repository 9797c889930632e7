// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import io.millrace.lab.server.LabException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.regex.Pattern;

/** Durations as users type and read them. */
final class Durations {

    private static final Pattern FORM = Pattern.compile("(\\d+(?:\\.\\d+)?)\\s*(us|ms|s|min)");
    private static final Duration LONGEST = Duration.ofDays(1);

    /**
     * Parses {@code text}; {@code 0} needs no unit.
     *
     * @param option name of the option, for the message
     */
    static Duration parse(String option, String text) {
        String stripped = text.strip();
        if (stripped.equals("0")) {
            return Duration.ZERO;
        }
        var form = FORM.matcher(stripped);
        if (form.matches()) {
            var nanos = new BigDecimal(form.group(1)).multiply(BigDecimal.valueOf(nanos(form.group(2))));
            if (nanos.compareTo(BigDecimal.valueOf(LONGEST.toNanos())) <= 0) {
                return Duration.ofNanos(nanos.longValue());
            }
        }
        throw new LabException(
                option + " is not a duration of up to a day: " + text + ". Write 500us, 0.5ms, 2s or 3min.");
    }

    private static long nanos(String unit) {
        return switch (unit) {
            case "us" -> 1_000L;
            case "ms" -> 1_000_000L;
            case "s" -> 1_000_000_000L;
            default -> 60_000_000_000L;
        };
    }

    /** Such as {@code 45 s} or {@code 12 min}, for an estimate. */
    static String rough(Duration duration) {
        return duration.compareTo(Duration.ofMinutes(2)) < 0
                ? Math.max(1, duration.toSeconds()) + " s"
                : Math.round(duration.toSeconds() / 60.0) + " min";
    }

    private Durations() {}
}
