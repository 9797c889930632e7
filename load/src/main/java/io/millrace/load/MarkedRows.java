// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

/**
 * Rows that a server has acknowledged between two marks. Keeps only the number of the rows and their range in the source.
 * Confined to the loading thread.
 */
final class MarkedRows {

    /** Offset of rows behind the last mark. */
    static final long NO_MARK = Long.MAX_VALUE;

    /** The server has written the rows before this offset of its replication history. */
    private long offset = NO_MARK;

    /** Number of marks that these rows have had, of which only the last one is known. */
    private long marks = 1;

    /** Whether the rows of earlier loads, from before the first mark, are included. They are not counted. */
    private boolean includesEarlierLoads;

    private long count;
    private long firstRow = Long.MAX_VALUE;
    private long lastRow;
    private long firstLine;
    private long lastLine;
    private String file = "";

    /** The rows of earlier loads, which are before the first mark. */
    static MarkedRows ofEarlierLoads(long offset) {
        MarkedRows rows = new MarkedRows();
        rows.includesEarlierLoads = true;
        return rows.marked(offset);
    }

    /** Adds an acknowledged row. */
    void add(long row, long line, String itsFile) {
        include(1, row, row, line, line, itsFile);
    }

    private void include(long rows, long first, long last, long lineOfFirst, long lineOfLast, String itsFile) {
        if (count == 0) {
            file = itsFile;
        }
        if (first < firstRow) {
            firstRow = first;
            firstLine = lineOfFirst;
        }
        if (last > lastRow) {
            lastRow = last;
            lastLine = lineOfLast;
        }
        if (!file.equals(itsFile)) {
            file = "";
            firstLine = 0;
            lastLine = 0;
        }
        count += rows;
    }

    /** Adds the rows of {@code later}, and takes its mark. */
    void merge(MarkedRows later) {
        if (later.count > 0) {
            include(later.count, later.firstRow, later.lastRow, later.firstLine, later.lastLine, later.file);
        }
        includesEarlierLoads |= later.includesEarlierLoads;
        offset = later.offset;
        marks += later.marks;
    }

    /** Ends the rows with a mark. */
    MarkedRows marked(long newOffset) {
        offset = newOffset;
        return this;
    }

    long marks() {
        return marks;
    }

    long offset() {
        return offset;
    }

    /** Whether there are neither rows of this load nor rows of earlier loads. */
    boolean isEmpty() {
        return count == 0 && !includesEarlierLoads;
    }

    boolean includesEarlierLoads() {
        return includesEarlierLoads;
    }

    /** The rows of this load as a range, all of which are in doubt. There is at least one row. */
    RowRange range() {
        long first = Math.max(1, firstRow);
        long last = Math.max(first, lastRow);
        return new RowRange(first, last, firstLine, lastLine, Math.min(count, last - first + 1), file);
    }

    /** Number of rows of this load. */
    long count() {
        return count;
    }
}
