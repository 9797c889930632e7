// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import java.util.Optional;

/** Renders the column with the offset of a bit: a whole number from 0 to 4,294,967,295, without leading zeros. */
record OffsetValue(int column, String name) implements RowValue {

    private static final long MAX_OFFSET = (1L << 32) - 1;

    @Override
    public Optional<Rejection> checkValue(Row row) {
        return isOffset(row)
                ? Optional.empty()
                : Optional.of(new Rejection(
                        Rejection.Reason.NUMBER_INVALID,
                        "offset is not a whole number from 0 to 4,294,967,295: " + name + "="
                                + (row.isNull(column) ? "NULL" : "'" + row.text(column) + "'")));
    }

    @Override
    public void render(Row row, Bytes out) {
        int start = row.start(column);
        int length = row.length(column);
        byte[] bytes = row.bytes();
        int zeros = 0;
        while (zeros < length - 1 && bytes[start + zeros] == '0') {
            zeros++;
        }
        out.append(bytes, start + zeros, length - zeros);
    }

    private boolean isOffset(Row row) {
        byte[] bytes = row.bytes();
        int start = row.start(column);
        int end = start + row.length(column);
        long value = 0;
        for (int i = start; i < end; i++) {
            int digit = bytes[i] - '0';
            if (digit < 0 || digit > 9) {
                return false;
            }
            value = value * 10 + digit;
            if (value > MAX_OFFSET) {
                return false;
            }
        }
        return end > start;
    }
}
