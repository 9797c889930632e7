// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.load.source.Column;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The columns of a source by name. Names are compared exactly, as Redis compares field names. */
final class ColumnNames {

    /** Maximum number of names in a message. */
    private static final int MAX_IN_MESSAGE = 40;

    private final List<String> names;

    ColumnNames(List<Column> columns) {
        names = columns.stream().map(Column::name).toList();
    }

    int size() {
        return names.size();
    }

    String name(int column) {
        return names.get(column);
    }

    byte[] nameBytes(int column) {
        return names.get(column).getBytes(StandardCharsets.UTF_8);
    }

    /**
     * The index of the column {@code name}.
     *
     * @param user option that names the column, for the message, such as {@code key=customer:{id}}
     * @throws PlanException if there is no such column, or if there are several
     */
    int indexOf(String name, String user) {
        int index = names.indexOf(name);
        if (index < 0) {
            throw new PlanException(
                    "no such column: column=" + singleLine(name) + ", " + singleLine(user) + ", " + this + hint(name));
        }
        refuseTwins(index, user);
        return index;
    }

    /** Throws if another column has the same name, because the name is then ambiguous. */
    void refuseTwins(int index, String user) {
        String name = names.get(index);
        if (names.indexOf(name) != names.lastIndexOf(name)) {
            throw new PlanException("several columns have this name: column=" + singleLine(name) + ", "
                    + singleLine(user) + ", " + this + ". Give each column a unique name in the query or the header.");
        }
    }

    /** The names for messages, in one line of limited length. */
    @Override
    public String toString() {
        List<String> shown = new ArrayList<>(names.subList(0, Math.min(MAX_IN_MESSAGE, names.size())));
        if (names.size() > MAX_IN_MESSAGE) {
            shown.add("… and " + (names.size() - MAX_IN_MESSAGE) + " more");
        }
        return singleLine("columns=" + shown);
    }

    private String hint(String wanted) {
        String best = "";
        // Two swapped letters, a common typing error, count as two changes. So a name of four or more letters may
        // differ by two changes.
        int bestDistance = Math.min(2 + wanted.length() / 4, wanted.length());
        for (String name : names) {
            int distance = distance(wanted.toLowerCase(Locale.ROOT), name.toLowerCase(Locale.ROOT), bestDistance);
            if (distance < bestDistance) {
                best = name;
                bestDistance = distance;
            }
        }
        if (best.isEmpty() && names.size() == 1) {
            return delimiterHint(names.getFirst());
        }
        return best.isEmpty() ? ". Name one of these columns." : ". Did you mean '" + singleLine(best) + "'?";
    }

    /** A header with only one column usually has another delimiter. */
    private static String delimiterHint(String header) {
        for (String delimiter : List.of(";", "\t", "|", ",")) {
            if (header.contains(delimiter)) {
                String name = delimiter.equals("\t") ? "\\t" : delimiter;
                return ". The header looks as if '" + name + "' separates the columns: set the delimiter, --delimiter '"
                        + name + "'.";
            }
        }
        return ". Name this column.";
    }

    /** The Levenshtein distance of {@code a} and {@code b}, at most {@code limit}. */
    private static int distance(String a, String b, int limit) {
        if (Math.abs(a.length() - b.length()) >= limit) {
            return limit;
        }
        int[] above = new int[b.length() + 1];
        for (int j = 0; j < above.length; j++) {
            above[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int[] row = new int[above.length];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int change = above[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(change, 1 + Math.min(above[j], row[j - 1]));
            }
            above = row;
        }
        return Math.min(limit, above[b.length()]);
    }

    private static String singleLine(String text) {
        return text.codePoints()
                .map(c -> Character.isISOControl(c) ? '?' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }
}
