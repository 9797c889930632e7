// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.range;

import java.util.Objects;
import java.util.function.Function;

/** Checks that a value is in its range. The exception message contains the value and the range. */
public final class Ranges {

    private Ranges() {}

    /**
     * Returns {@code value} if it is from {@code min} to {@code max}.
     *
     * @throws IllegalArgumentException if the value is out of range
     */
    public static <T extends Comparable<T>> T check(String name, T value, T min, T max) {
        Objects.requireNonNull(value, name);
        if (!contains(min, max, value)) {
            throw new IllegalArgumentException(
                    message(name + "=" + ValueText.of(value), text(min, max, ValueText::of)));
        }
        return value;
    }

    /** {@link #check(String, Comparable, Comparable, Comparable)} without boxed values. */
    public static long check(String name, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(
                    message(name + "=" + ValueText.of(value), text(min, max, ValueText::of)));
        }
        return value;
    }

    /** Whether {@code value} is from {@code min} to {@code max}. NaN is in no range, and -0.0 equals 0.0. */
    public static <T extends Comparable<T>> boolean contains(T min, T max, T value) {
        return value instanceof Double real
                ? real >= (Double) min && real <= (Double) max
                : value.compareTo(min) >= 0 && value.compareTo(max) <= 0;
    }

    /** The message for a value that is out of range. */
    public static String message(String nameAndValue, String range) {
        return nameAndValue + " is out of range: " + range + ".";
    }

    /** The range as text, such as {@code 1 to 64} or {@code at least 1}. */
    public static String text(Object min, Object max, Function<Object, String> format) {
        return isUnlimited(max) ? "at least " + format.apply(min) : format.apply(min) + " to " + format.apply(max);
    }

    /** Whether {@code max} is the largest value of its type. The range then has no maximum. */
    public static boolean isUnlimited(Object max) {
        return max.equals(Long.MAX_VALUE) || max.equals(Integer.MAX_VALUE);
    }
}
