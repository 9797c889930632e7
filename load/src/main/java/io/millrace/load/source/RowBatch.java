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

    /** The row that receives the next record. {@link #added} adds it to the batch. */
    Row next() {
        Row row = rows[filled];
        if (row == null) {
            row = new Row();
            rows[filled] = row;
        }
        return row;
    }

    void added() {
        bytes += rows[filled].capacity();
        filled++;
    }

    boolean isEmpty() {
        return filled == 0;
    }

    boolean isFull() {
        return filled == MAX_ROWS || bytes >= MAX_BYTES;
    }

    /** Exchanges the contents of {@code row} and of the next row that was not taken. Returns false if there is none. */
    boolean take(Row row) {
        if (taken == filled) {
            return false;
        }
        row.swap(rows[taken]);
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
