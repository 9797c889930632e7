// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

/**
 * Tells whether bytes are a number as JSON writes it. Sources call other things a number too, such as {@code NaN},
 * {@code +5} or {@code 007}; unquoted, these would spoil a whole document.
 */
public final class JsonNumber {

    private JsonNumber() {}

    /** Whether {@code count} bytes from {@code offset} are a number of JSON and nothing else. */
    public static boolean matches(byte[] bytes, int offset, int count) {
        int end = offset + count;
        int at = offset < end && bytes[offset] == '-' ? offset + 1 : offset;
        int afterDigits = skipDigits(bytes, at, end);
        if (afterDigits == at || (bytes[at] == '0' && afterDigits > at + 1)) {
            return false;
        }
        at = afterDigits;
        if (at < end && bytes[at] == '.') {
            afterDigits = skipDigits(bytes, at + 1, end);
            if (afterDigits == at + 1) {
                return false;
            }
            at = afterDigits;
        }
        return at == end || isExponent(bytes, at, end);
    }

    private static boolean isExponent(byte[] bytes, int from, int end) {
        if (bytes[from] != 'e' && bytes[from] != 'E') {
            return false;
        }
        int at = from + 1;
        if (at < end && (bytes[at] == '+' || bytes[at] == '-')) {
            at++;
        }
        return at < end && skipDigits(bytes, at, end) == end;
    }

    private static int skipDigits(byte[] bytes, int from, int end) {
        int at = from;
        while (at < end && bytes[at] >= '0' && bytes[at] <= '9') {
            at++;
        }
        return at;
    }
}
