// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Rows of text in columns as wide as their widest cell. */
final class TextTable {

    private final List<List<String>> rows = new ArrayList<>();
    private final int leftColumns;

    /** A table whose first {@code leftColumns} columns are words, flush left; the others are numbers, flush right. */
    TextTable(List<String> header, int leftColumns) {
        this.leftColumns = leftColumns;
        rows.add(header);
    }

    void add(List<String> row) {
        if (row.size() != rows.getFirst().size()) {
            throw new IllegalArgumentException(
                    "columns: expected=" + rows.getFirst().size() + ", given=" + row.size());
        }
        rows.add(row);
    }

    /** The table, each line ended. */
    @Override
    public String toString() {
        var widths = IntStream.range(0, rows.getFirst().size())
                .map(column -> rows.stream()
                        .mapToInt(row -> row.get(column).length())
                        .max()
                        .orElse(0))
                .toArray();
        var text = new StringBuilder();
        for (var row : rows) {
            text.append(line(row, widths).stripTrailing()).append('\n');
        }
        return text.toString();
    }

    private String line(List<String> row, int[] widths) {
        var line = new StringBuilder();
        for (int column = 0; column < widths.length; column++) {
            var cell = row.get(column);
            var padding = " ".repeat(widths[column] - cell.length());
            line.append(column < leftColumns ? cell + padding : padding + cell).append("  ");
        }
        return line.toString();
    }
}
