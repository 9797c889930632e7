// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.load.PlanException;
import io.millrace.load.source.Column;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The columns of a source, to be found by name. Names are compared exactly, as Redis compares fields. */
final class ColumnNames {

    /** More names than this are not listed in a message. */
    private static final int LISTED = 40;

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
     * Where the column called {@code name} is.
     *
     * @param user what names the column, for the message, such as {@code key=customer:{id}}
     * @throws PlanException if there is no such column, or more than one
     */
    int indexOf(String name, String user) {
        int index = names.indexOf(name);
        if (index < 0) {
            throw new PlanException(
                    "no such column: column=" + printable(name) + ", " + printable(user) + ", " + this + hint(name));
        }
        refuseTwins(index, user);
        return index;
    }

    /** Throws if another column has the same name, since a name could then mean either. */
    void refuseTwins(int index, String user) {
        String name = names.get(index);
        if (names.indexOf(name) != names.lastIndexOf(name)) {
            throw new PlanException("more than one column of that name: column=" + printable(name) + ", "
                    + printable(user) + ", " + this + ". Give each its own name in the query or the header.");
        }
    }

    /** The names in a form for messages: one line, and not too long. */
    @Override
    public String toString() {
        List<String> shown = new ArrayList<>(names.subList(0, Math.min(LISTED, names.size())));
        if (names.size() > LISTED) {
            shown.add("… and " + (names.size() - LISTED) + " more");
        }
        return printable("columns=" + shown);
    }

    private String hint(String wanted) {
        String best = "";
        // Two letters swapped count as two changes, and are the commonest slip in a name of four letters or more.
        int bestDistance = Math.min(2 + wanted.length() / 4, wanted.length());
        for (String name : names) {
            int distance = distance(wanted.toLowerCase(Locale.ROOT), name.toLowerCase(Locale.ROOT), bestDistance);
            if (distance < bestDistance) {
                best = name;
                bestDistance = distance;
            }
        }
        return best.isEmpty() ? ". Name one of these columns." : ". Did you mean '" + printable(best) + "'?";
    }

    /** How many characters must be changed, added or dropped to turn {@code a} into {@code b}; at most {@code limit}. */
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

    private static String printable(String text) {
        return text.codePoints()
                .map(c -> Character.isISOControl(c) ? '?' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }
}
