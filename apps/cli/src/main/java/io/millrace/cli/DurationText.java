// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses a duration: a whole number and a unit, such as {@code 30s}. */
final class DurationText {

    private static final Pattern FORM = Pattern.compile("(\\d{1,18})(ms|s|m|h|d)");

    private DurationText() {}

    /**
     * Parses {@code text}.
     *
     * @throws IllegalArgumentException if the text is not valid; the message shows the valid forms
     */
    static Duration parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not a duration. Write a whole number and a unit: 500ms, 30s, 15m, 1h or 7d.");
        }
        return of(Long.parseLong(matcher.group(1)), matcher.group(2));
    }

    /** Formats {@code duration} for people, such as {@code 60 s}. */
    static String text(Duration duration) {
        long millis = duration.toMillis();
        if (millis % 1_000 != 0) {
            return millis + " ms";
        }
        return millis % 60_000 == 0 && millis > 60_000 ? millis / 60_000 + " min" : millis / 1_000 + " s";
    }

    private static Duration of(long count, String unit) {
        try {
            return switch (unit) {
                case "ms" -> Duration.ofMillis(count);
                case "s" -> Duration.ofSeconds(count);
                case "m" -> Duration.ofMinutes(count);
                case "h" -> Duration.ofHours(count);
                default -> Duration.ofDays(count);
            };
        } catch (ArithmeticException tooLong) {
            return Duration.ofSeconds(Long.MAX_VALUE);
        }
    }
}
