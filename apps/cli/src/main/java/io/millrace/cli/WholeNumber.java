// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.math.BigInteger;
import java.util.regex.Pattern;

/** Parses whole numbers. */
final class WholeNumber {

    private static final Pattern FORM = Pattern.compile("[+-]?[0-9]{1,100}");

    private WholeNumber() {}

    /**
     * Parses an {@code int}.
     *
     * @throws IllegalArgumentException if the text is not such a number
     */
    static Integer parseInt(String text) {
        return (int) parse(text, Integer.MIN_VALUE, Integer.MAX_VALUE);
    }

    /**
     * Parses a {@code long}.
     *
     * @throws IllegalArgumentException if the text is not such a number
     */
    static Long parseLong(String text) {
        return parse(text, Long.MIN_VALUE, Long.MAX_VALUE);
    }

    private static long parse(String text, long min, long max) {
        if (!FORM.matcher(text).matches()) {
            throw new IllegalArgumentException("'" + text + "' is not a whole number.");
        }
        BigInteger number = new BigInteger(text);
        if (number.compareTo(BigInteger.valueOf(min)) < 0 || number.compareTo(BigInteger.valueOf(max)) > 0) {
            throw new IllegalArgumentException("'" + text + "' is out of range: " + min + " to " + max + ".");
        }
        return number.longValueExact();
    }
}
