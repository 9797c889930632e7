// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.time.Duration;
import java.util.Locale;

/**
 * Rejects values that are out of range. The exception message has the same form as the messages for the client's
 * settings.
 */
final class RangeChecks {

    private RangeChecks() {}

    static void check(String name, long value, long min, long max) {
        if (value < min || value > max) {
            String range = max == Integer.MAX_VALUE ? "at least " + text(min) : text(min) + " to " + text(max);
            throw outOfRange(name, text(value), range);
        }
    }

    static void check(String name, double value, double min, double max) {
        if (!(value >= min && value <= max)) {
            throw outOfRange(name, text(value), text(min) + " to " + text(max));
        }
    }

    static void check(String name, Duration value, Duration min, Duration max) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw outOfRange(name, text(value), text(min) + " to " + text(max));
        }
    }

    private static IllegalArgumentException outOfRange(String name, String value, String range) {
        return new IllegalArgumentException(name + "=" + value + " is out of range: " + range + ".");
    }

    private static String text(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    private static String text(double value) {
        return value == Math.rint(value) ? text((long) value) : Double.toString(value);
    }

    /** Formats a duration in the largest unit that needs no fraction; one day is {@code 24 h}. */
    private static String text(Duration value) {
        if (value.isZero()) {
            return "zero";
        }
        if (value.toNanosPart() % 1_000_000 != 0) {
            return value.toString();
        }
        if (value.toMillisPart() != 0) {
            return text(value.toMillis()) + " ms";
        }
        long seconds = value.toSeconds();
        if (seconds % 86_400 == 0 && seconds != 86_400) {
            return text(seconds / 86_400) + " days";
        }
        if (seconds % 3_600 == 0) {
            return text(seconds / 3_600) + " h";
        }
        return seconds % 60 == 0 ? text(seconds / 60) + " min" : text(seconds) + " s";
    }
}
