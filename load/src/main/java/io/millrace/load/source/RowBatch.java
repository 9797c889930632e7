// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

/** Some rows of one part of a source. Owned by one thread at a time; {@link RowExchange} hands it over. */
final class RowBatch {

    /** Enough rows that the hand-over between threads costs little per row. */
    static final int MAX_ROWS = 256;

    /** Maximum size before the last row. Together with {@link #MAX_ROWS}, this limits the memory of long rows. */
    static final int MAX_BYTES = 256 * 1024;

    private final Row[] rows = new Row[MAX_ROWS];
    private int filled;
    private int taken;
    private long bytes;

    /** Moves the record of {@code row} to this batch. */
    void add(Row row) {
        Row kept = rows[filled];
        if (kept == null) {
            kept = new Row();
            rows[filled] = kept;
        }
        kept.take(row);
        bytes += kept.capacity();
        filled++;
    }

    boolean isEmpty() {
        return filled == 0;
    }

    boolean isFull() {
        return filled == MAX_ROWS || bytes >= MAX_BYTES;
    }

    /** Moves the next record to {@code row}. Returns false if there is none. */
    boolean next(Row row) {
        if (taken == filled) {
            return false;
        }
        row.take(rows[taken]);
        rows[taken].trim();
        taken++;
        return true;
    }

    /** Prepares this batch for other rows. */
    void reset() {
        filled = 0;
        taken = 0;
        bytes = 0;
    }
}
