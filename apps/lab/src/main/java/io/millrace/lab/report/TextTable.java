// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Rows of text. Each column is as wide as its widest cell. The first column is flush left, the others flush right. */
final class TextTable {

    private final List<List<String>> rows = new ArrayList<>();

    TextTable(List<String> header, List<List<String>> rows) {
        this.rows.add(header);
        this.rows.addAll(rows);
    }

    @Override
    public String toString() {
        int[] widths = IntStream.range(0, rows.getFirst().size())
                .map(column -> rows.stream()
                        .mapToInt(row -> row.get(column).length())
                        .max()
                        .orElse(0))
                .toArray();
        var text = new StringBuilder();
        rows.forEach(row -> text.append(line(row, widths).stripTrailing()).append('\n'));
        return text.toString();
    }

    private static String line(List<String> row, int[] widths) {
        var line = new StringBuilder();
        for (int column = 0; column < widths.length; column++) {
            String cell = row.get(column);
            String padding = " ".repeat(widths[column] - cell.length());
            line.append(column == 0 ? cell + padding : padding + cell).append("  ");
        }
        return line.toString();
    }
}
