// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.range;

import java.time.Duration;

/** Formats values for messages and help texts: {@code 1,048,576}, {@code 64 KB}, {@code 10 min}. */
public final class ValueText {

    private static final long SECONDS_PER_DAY = 86_400;

    private ValueText() {}

    /** Formats a duration as a time, and a number with grouped digits. */
    public static String of(Object value) {
        return switch (value) {
            case Duration duration -> time(duration);
            case Double real when real != Math.rint(real) || Double.isInfinite(real) -> real.toString();
            case Double whole -> grouped(whole.longValue());
            case Number number -> grouped(number.longValue());
            default -> value.toString();
        };
    }

    /**
     * Formats a size in its largest exact unit. KB is 1,024 bytes, as in redis.conf. If a size is one byte less than a
     * whole number of gigabytes, the text is {@code just under} and that number.
     */
    public static String bytes(long bytes) {
        if (bytes > 0 && bytes < Long.MAX_VALUE && (bytes + 1) % (1L << 30) == 0) {
            return "just under " + bytes(bytes + 1);
        }
        String[] units = {"bytes", "KB", "MB", "GB", "TB"};
        int unit = 0;
        long count = bytes;
        while (count != 0 && count % 1_024 == 0 && unit < units.length - 1) {
            count /= 1_024;
            unit++;
        }
        return grouped(count) + " " + (unit == 0 && count == 1 ? "byte" : units[unit]);
    }

    /**
     * Formats a duration in its largest exact unit, with two exceptions: one day is {@code 24 h}, and a duration of
     * zero is {@code zero}.
     */
    private static String time(Duration duration) {
        if (duration.isZero()) {
            return "zero";
        }
        if (duration.getNano() != 0) {
            return fraction(duration);
        }
        long seconds = duration.getSeconds();
        if (seconds % SECONDS_PER_DAY == 0 && seconds != SECONDS_PER_DAY) {
            return grouped(seconds / SECONDS_PER_DAY) + " days";
        }
        if (seconds % 3_600 == 0) {
            return grouped(seconds / 3_600) + " h";
        }
        return seconds % 60 == 0 ? grouped(seconds / 60) + " min" : grouped(seconds) + " s";
    }

    /** Formats a duration that is not a whole number of seconds. */
    private static String fraction(Duration duration) {
        if (duration.getNano() % 1_000_000 == 0 && Math.abs(duration.getSeconds()) < Long.MAX_VALUE / 1_000) {
            return grouped(duration.toMillis()) + " ms";
        }
        return duration.toString();
    }

    /**
     * Groups the digits of {@code number} by commas: {@code 1,048,576}. Does not use {@link String#format}, whose first
     * call loads the formats of the locale.
     */
    public static String grouped(long number) {
        StringBuilder text = new StringBuilder(Long.toString(number));
        int first = number < 0 ? 1 : 0;
        for (int i = text.length() - 3; i > first; i -= 3) {
            text.insert(i, ',');
        }
        return text.toString();
    }
}
