// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

/** Parses a value of the column that has the expiry of a row. */
final class TtlColumn {

    /** Result for a text that is not a time. */
    private static final long NO_TIME = -1;

    /** More digits would be above the longest legal expiry, also in milliseconds. */
    private static final int MAX_DIGITS = 13;

    private TtlColumn() {}

    /**
     * The time in milliseconds: whole seconds, or a whole number with the unit {@code ms}, {@code s}, {@code m}, {@code
     * h} or {@code d}; -1 for any other text. The time may be longer than the longest legal expiry.
     */
    static long millis(byte[] bytes, int start, int length) {
        int end = start + length;
        int at = start;
        long count = 0;
        while (at < end && bytes[at] >= '0' && bytes[at] <= '9') {
            if (at - start == MAX_DIGITS) {
                return Long.MAX_VALUE;
            }
            count = count * 10 + bytes[at++] - '0';
        }
        long unit = unit(bytes, at, end);
        if (at == start || unit == NO_TIME) {
            return NO_TIME;
        }
        return count > Long.MAX_VALUE / unit ? Long.MAX_VALUE : count * unit;
    }

    /** The milliseconds of the unit between {@code at} and {@code end}. */
    private static long unit(byte[] bytes, int at, int end) {
        if (end - at == 2) {
            return bytes[at] == 'm' && bytes[at + 1] == 's' ? 1 : NO_TIME;
        }
        if (end - at > 2) {
            return NO_TIME;
        }
        return switch (at == end ? 's' : bytes[at]) {
            case 's' -> 1_000;
            case 'm' -> 60_000;
            case 'h' -> 3_600_000;
            case 'd' -> 86_400_000;
            default -> NO_TIME;
        };
    }
}
