// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

/**
 * Consecutive rows of a source, some or all of which are unconfirmed.
 *
 * @param firstRow number of the first unconfirmed row, from 1
 * @param lastRow number of the last unconfirmed row
 * @param firstLine line of the first row; 0 if the source has no lines
 * @param lastLine line on which the last row begins; 0 if the source has no lines
 * @param unconfirmed number of unconfirmed rows in the range. Less than the length of the range only if a load had too
 *     many ranges to keep all of them, or if a failover took back rows that several servers had acknowledged
 * @param file file that contains the rows, if the source has several files; empty if it has one file, or if the range
 *     has rows of several files. In the last case the lines are 0
 */
public record RowRange(long firstRow, long lastRow, long firstLine, long lastLine, long unconfirmed, String file) {

    public RowRange {
        if (firstRow < 1 || lastRow < firstRow || unconfirmed < 1 || unconfirmed > lastRow - firstRow + 1) {
            throw new IllegalArgumentException("the range is inconsistent: firstRow=" + firstRow + ", lastRow="
                    + lastRow + ", unconfirmed=" + unconfirmed);
        }
    }

    /** The range and {@code later}, and everything between them. */
    RowRange to(RowRange later) {
        boolean oneFile = file.equals(later.file);
        return new RowRange(
                firstRow,
                later.lastRow,
                oneFile ? firstLine : 0,
                oneFile ? later.lastLine : 0,
                unconfirmed + later.unconfirmed,
                oneFile ? file : "");
    }

    /** The range that contains this range and {@code other}. */
    RowRange with(RowRange other) {
        RowRange first = firstRow <= other.firstRow ? this : other;
        RowRange last = lastRow >= other.lastRow ? this : other;
        boolean oneFile = file.equals(other.file);
        return new RowRange(
                first.firstRow,
                last.lastRow,
                oneFile ? first.firstLine : 0,
                oneFile ? last.lastLine : 0,
                Math.min(unconfirmed + other.unconfirmed, last.lastRow - first.firstRow + 1),
                oneFile ? file : "");
    }

    /**
     * The range as text: {@code rows 17 to 90 (lines 18 to 91)}, or {@code rows 17 to 90 (lines 18 to 91 of b.csv)} if
     * the source has several files.
     */
    public String text() {
        String rows = text("row", firstRow, lastRow);
        String lines = firstLine == 0 ? "" : text("line", firstLine, lastLine);
        if (file.isEmpty()) {
            return lines.isEmpty() ? rows : rows + " (" + lines + ")";
        }
        return rows + (lines.isEmpty() ? " of " + file : " (" + lines + " of " + file + ")");
    }

    private static String text(String noun, long first, long last) {
        return first == last ? noun + " " + first : noun + "s " + first + " to " + last;
    }
}
