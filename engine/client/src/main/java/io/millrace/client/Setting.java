// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.internal.range.Ranges;
import io.millrace.client.internal.range.ValueText;
import java.time.Duration;
import java.util.Objects;

/**
 * A setting: its range, its default and its help text. Each class of options defines its settings once, as constants.
 * The checks, the builders, the command line and the documents use these constants.
 *
 * @param name name of the setting in options and messages, such as {@code inFlight}
 * @param min smallest legal value
 * @param max largest legal value; {@code Integer.MAX_VALUE} and {@code Long.MAX_VALUE} mean that there is no maximum
 * @param defaultValue value that is used if the caller gives no value
 * @param unit unit of the values
 * @param help one sentence that defines the setting
 */
public record Setting<T extends Comparable<T>>(String name, T min, T max, T defaultValue, Unit unit, String help) {

    /** Unit of the values of a setting. The unit determines how a value is formatted as text. */
    public enum Unit {
        /** A count: {@code 1,048,576}. */
        COUNT,
        /** A number that does not count things, such as a port. Formatted without commas: {@code 6379}. */
        NUMBER,
        /** A fraction: {@code 0.1}. */
        FRACTION,
        /** A size in bytes: {@code 64 KB}. KB is 1,024 bytes, as in redis.conf. */
        BYTES,
        /** A duration: {@code 10 min}. */
        TIME,
        /** A duration, or zero. Zero is legal even if it is outside the range, and turns the setting off. */
        TIME_OR_ZERO;

        /** Formats a value of this unit. */
        public String text(Object value) {
            return switch (this) {
                case NUMBER -> value.toString();
                case BYTES -> ValueText.bytes(((Number) value).longValue());
                case COUNT, FRACTION, TIME, TIME_OR_ZERO -> ValueText.of(value);
            };
        }
    }

    public Setting {
        Objects.requireNonNull(help, "help");
        if (!isLegal(unit, min, max, defaultValue)) {
            throw new IllegalArgumentException(
                    Ranges.message("default of " + name + "=" + unit.text(defaultValue), rangeText(unit, min, max)));
        }
    }

    /**
     * Returns {@code value} if it is legal.
     *
     * @throws IllegalArgumentException if the value is out of range; the message contains the range
     */
    public T check(T value) {
        Objects.requireNonNull(value, name);
        if (!accepts(value)) {
            throw new IllegalArgumentException(outOfRange(name + "=" + unit.text(value)));
        }
        return value;
    }

    /** Whether {@code value} is legal. */
    public boolean accepts(T value) {
        return isLegal(unit, min, max, value);
    }

    /**
     * Returns the message for a value that is out of range. The message begins with {@code nameAndValue} and contains
     * the range.
     */
    public String outOfRange(String nameAndValue) {
        return Ranges.message(nameAndValue, rangeText());
    }

    /** The range of the setting as text, such as {@code 64 KB to 1 GB} or {@code at least 1}. */
    public String rangeText() {
        return rangeText(unit, min, max);
    }

    /** The default value of the setting as text, such as {@code 8 MB} or {@code no limit}. */
    public String defaultText() {
        return Ranges.isUnlimited(defaultValue) ? "no limit" : unit.text(defaultValue);
    }

    /**
     * Checks the range of an argument that is not a setting. The message of the exception has the same form as in
     * {@link #check}.
     *
     * @throws IllegalArgumentException if {@code value} is not from {@code min} to {@code max}
     */
    public static <T extends Comparable<T>> T checkArgument(String name, T value, T min, T max) {
        return Ranges.check(name, value, min, max);
    }

    /** Same check as {@link #checkArgument(String, Comparable, Comparable, Comparable)}, for integers. */
    public static long checkArgument(String name, long value, long min, long max) {
        return Ranges.check(name, value, min, max);
    }

    private static <T extends Comparable<T>> boolean isLegal(Unit unit, T min, T max, T value) {
        return Ranges.contains(min, max, value) || (unit == Unit.TIME_OR_ZERO && value.equals(Duration.ZERO));
    }

    private static String rangeText(Unit unit, Object min, Object max) {
        String range = Ranges.text(min, max, unit::text);
        return unit == Unit.TIME_OR_ZERO ? "zero, or " + range : range;
    }
}
