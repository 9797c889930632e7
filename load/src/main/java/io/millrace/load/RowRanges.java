// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The numbers of the unconfirmed rows, as ranges. Keeps at most {@value #MAX_RANGES} ranges. Above this limit, the two
 * ranges with the smallest distance become one range. Such a range also contains rows that are not unconfirmed. Below
 * the limit, a range has rows of one file, except a range of rows that a failover has taken back.
 *
 * <p>Confined to the loading thread.
 */
final class RowRanges {

    static final int MAX_RANGES = 1_000;

    /** The ranges by their first row. Ranges of the same file do not touch each other. */
    private final TreeMap<Long, RowRange> ranges = new TreeMap<>();

    /**
     * Adds a row.
     *
     * @param row number of the row, from 1
     * @param line line of the row; 0 if the source has no lines
     * @param file file of the row; empty if the source has one file
     */
    void add(long row, long line, String file) {
        RowRange range = new RowRange(row, row, line, line, 1, file);
        Map.Entry<Long, RowRange> before = ranges.floorEntry(row);
        if (before != null && row <= before.getValue().lastRow()) {
            RowRange around = before.getValue();
            // The row is inside a range that was merged from two ranges, or the source does not number its rows.
            ranges.put(
                    around.firstRow(),
                    new RowRange(
                            around.firstRow(),
                            around.lastRow(),
                            around.firstLine(),
                            around.lastLine(),
                            Math.min(around.unconfirmed() + 1, around.lastRow() - around.firstRow() + 1),
                            around.file()));
            return;
        }
        if (before != null
                && before.getValue().lastRow() == row - 1
                && before.getValue().file().equals(file)) {
            range = before.getValue().to(range);
        }
        RowRange after = ranges.get(row + 1);
        if (after != null && after.file().equals(file)) {
            ranges.remove(row + 1);
            range = range.to(after);
        }
        ranges.put(range.firstRow(), range);
        if (ranges.size() > MAX_RANGES) {
            mergeClosest();
        }
    }

    /** Adds a range. A range that has common rows with others becomes one range with them. */
    void add(RowRange added) {
        RowRange all = added;
        Map.Entry<Long, RowRange> last = ranges.floorEntry(all.lastRow());
        while (last != null && last.getValue().lastRow() >= all.firstRow()) {
            ranges.remove(last.getKey());
            all = all.with(last.getValue());
            last = ranges.floorEntry(all.lastRow());
        }
        ranges.put(all.firstRow(), all);
        if (ranges.size() > MAX_RANGES) {
            mergeClosest();
        }
    }

    private void mergeClosest() {
        RowRange before = null;
        RowRange closest = null;
        RowRange next = null;
        for (RowRange range : ranges.values()) {
            if (before != null && (closest == null || next == null || gap(before, range) < gap(closest, next))) {
                closest = before;
                next = range;
            }
            before = range;
        }
        if (closest != null && next != null) {
            ranges.remove(next.firstRow());
            ranges.put(closest.firstRow(), closest.to(next));
        }
    }

    private static long gap(RowRange first, RowRange second) {
        return second.firstRow() - first.lastRow();
    }

    /** The ranges in the order of the source. */
    List<RowRange> list() {
        return List.copyOf(ranges.values());
    }
}
