// SPDX-License-Identifier: Apache-2.0
package io.millrace.resp;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;

/**
 * Parses the numbers in RESP lines, more strictly than the JDK does. An invalid number causes a
 * {@link NumberFormatException}, whose message describes the violation.
 */
final class Numbers {

    /** A long has at most 19 digits. */
    private static final int LONG_DIGITS = 19;

    private static final int LENGTH_DIGITS = 10;

    /** Limit on the digits of a big number: the parsing time is quadratic in the number of digits. */
    private static final int BIG_DIGITS = 10_000;

    private Numbers() {}

    /** Parses a signed 64-bit integer. */
    static long integer(byte[] line, int from, int to) {
        int at = from;
        boolean negative = at < to && line[at] == '-';
        if (negative || (at < to && line[at] == '+')) {
            at++;
        }
        if (at == to || to - at > LONG_DIGITS) {
            throw new NumberFormatException("an integer has " + (to - at) + " digits; allowed are 1 to " + LONG_DIGITS);
        }
        // Accumulates a negative value, because the smallest long has no positive counterpart.
        long value = 0;
        for (; at < to; at++) {
            int digit = line[at] - '0';
            if (digit < 0 || digit > 9 || value < (Long.MIN_VALUE + digit) / 10) {
                throw new NumberFormatException("an integer has an invalid digit or needs more than 64 bits");
            }
            value = value * 10 - digit;
        }
        if (!negative && value == Long.MIN_VALUE) {
            throw new NumberFormatException("an integer needs more than 64 bits");
        }
        return negative ? value : -value;
    }

    /**
     * Parses a length or a count of at most 10 digits. If {@code nullable} is true, the method also accepts -1, which
     * stands for null.
     */
    static long length(byte[] line, int from, int to, boolean nullable) {
        int digits = to - from;
        if (nullable && digits == 2 && line[from] == '-' && line[from + 1] == '1') {
            return -1;
        }
        if (digits == 0 || digits > LENGTH_DIGITS) {
            throw new NumberFormatException("a length has " + digits + " digits; allowed are 1 to " + LENGTH_DIGITS);
        }
        long value = 0;
        for (int i = from; i < to; i++) {
            int digit = line[i] - '0';
            if (digit < 0 || digit > 9) {
                throw new NumberFormatException("a length has an invalid digit");
            }
            value = value * 10 + digit;
        }
        return value;
    }

    /** Parses a floating-point number, including infinities and NaN. */
    static double floating(String text) {
        return switch (text) {
            case "inf" -> Double.POSITIVE_INFINITY;
            case "-inf" -> Double.NEGATIVE_INFINITY;
            case "nan", "-nan" -> Double.NaN;
            default -> finite(text);
        };
    }

    private static double finite(String text) {
        // Double.parseDouble accepts more than RESP allows: surrounding blanks, "0x1p3", "1d", "NaN".
        for (int i = 0; i < text.length(); i++) {
            if ("0123456789+-.eE".indexOf(text.charAt(i)) < 0) {
                throw new NumberFormatException("a double has an invalid character");
            }
        }
        return Double.parseDouble(text);
    }

    /** Parses an integer of at most 10,000 digits. */
    static BigInteger big(byte[] line, int from, int to) {
        if (to - from > BIG_DIGITS) {
            throw new NumberFormatException("a big number has more than " + BIG_DIGITS + " digits");
        }
        for (int i = from; i < to; i++) {
            boolean sign = i == from && (line[i] == '-' || line[i] == '+');
            // BigInteger would accept the digits of any writing system, such as Arabic digits.
            if (!sign && (line[i] < '0' || line[i] > '9')) {
                throw new NumberFormatException("a big number has an invalid digit");
            }
        }
        return new BigInteger(new String(line, from, to - from, StandardCharsets.US_ASCII));
    }
}
