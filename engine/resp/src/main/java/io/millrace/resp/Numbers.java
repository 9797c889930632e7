// SPDX-License-Identifier: Apache-2.0
package io.millrace.resp;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;

/** Reads the numbers of RESP lines, more strictly than the JDK would. A {@link NumberFormatException} says what is wrong. */
final class Numbers {

    /** A long has at most 19 digits. */
    private static final int LONG_DIGITS = 19;

    private static final int LENGTH_DIGITS = 10;

    /** Reading takes time that grows with the square of the digits. */
    private static final int BIG_DIGITS = 10_000;

    private Numbers() {}

    /** A signed 64-bit integer. */
    static long integer(byte[] line, int from, int to) {
        int at = from;
        boolean negative = at < to && line[at] == '-';
        if (negative || (at < to && line[at] == '+')) {
            at++;
        }
        if (at == to || to - at > LONG_DIGITS) {
            throw new NumberFormatException("an integer of " + (to - at) + " digits");
        }
        // Counted downwards, because the smallest long has no positive counterpart.
        long value = 0;
        for (; at < to; at++) {
            int digit = line[at] - '0';
            if (digit < 0 || digit > 9 || value < (Long.MIN_VALUE + digit) / 10) {
                throw new NumberFormatException("an integer that is none, or does not fit 64 bits");
            }
            value = value * 10 - digit;
        }
        if (!negative && value == Long.MIN_VALUE) {
            throw new NumberFormatException("an integer that does not fit 64 bits");
        }
        return negative ? value : -value;
    }

    /** A length or count of 0 to {@code most}; -1, where it is allowed, is null. */
    static int length(byte[] line, int from, int to, int most, boolean nullable) {
        int digits = to - from;
        if (nullable && digits == 2 && line[from] == '-' && line[from + 1] == '1') {
            return -1;
        }
        if (digits == 0 || digits > LENGTH_DIGITS) {
            throw new NumberFormatException("a length of " + digits + " digits");
        }
        long value = 0;
        for (int i = from; i < to; i++) {
            int digit = line[i] - '0';
            if (digit < 0 || digit > 9) {
                throw new NumberFormatException("a length that is no number");
            }
            value = value * 10 + digit;
        }
        if (value > most) {
            throw new NumberFormatException("a length of " + value + ", over the limit of " + most);
        }
        return (int) value;
    }

    /** A floating-point number, infinite or none included. */
    static double floating(String text) {
        return switch (text) {
            case "inf" -> Double.POSITIVE_INFINITY;
            case "-inf" -> Double.NEGATIVE_INFINITY;
            case "nan", "-nan" -> Double.NaN;
            default -> finite(text);
        };
    }

    private static double finite(String text) {
        // Double.parseDouble takes more than RESP does: blanks around, "0x1p3", "1d", "NaN".
        for (int i = 0; i < text.length(); i++) {
            if ("0123456789+-.eE".indexOf(text.charAt(i)) < 0) {
                throw new NumberFormatException("a double that is none");
            }
        }
        return Double.parseDouble(text);
    }

    /** An integer of up to ten thousand digits. */
    static BigInteger big(byte[] line, int from, int to) {
        if (to - from > BIG_DIGITS) {
            throw new NumberFormatException("a big number of more than " + BIG_DIGITS + " digits");
        }
        for (int i = from; i < to; i++) {
            boolean sign = i == from && (line[i] == '-' || line[i] == '+');
            // BigInteger would take the digits of any script.
            if (!sign && (line[i] < '0' || line[i] > '9')) {
                throw new NumberFormatException("a big number that is none");
            }
        }
        return new BigInteger(new String(line, from, to - from, StandardCharsets.US_ASCII));
    }
}
