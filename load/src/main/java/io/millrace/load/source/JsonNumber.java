// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

/**
 * Checks whether bytes are a JSON number. Sources also deliver numbers that JSON does not allow, such as {@code NaN},
 * {@code +5} or {@code 007}. Without quotes, such a number makes the document invalid.
 */
public final class JsonNumber {

    private JsonNumber() {}

    /** Whether the {@code count} bytes from {@code offset} are exactly one JSON number. */
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
