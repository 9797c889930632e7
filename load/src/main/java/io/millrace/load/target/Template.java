// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.load.PlanException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Text with places for column values, such as {@code customer:{id}}.
 *
 * <p>A name in braces stands for the value of that column. A brace that is meant as such is doubled: {@code {{{id}}}}
 * gives {@code {42}}, which is how a hash tag is written. A column whose own name holds a brace cannot be named.
 *
 * @param use what the text is for, such as {@code key}; for messages
 * @param text as it was written
 * @param literals what stands before, between and after the columns; always one more than columns, and may be empty
 * @param columns the names in braces
 */
record Template(String use, String text, List<String> literals, List<String> columns) {

    /**
     * Reads a template.
     *
     * @throws PlanException if its braces do not pair up
     */
    static Template parse(String use, String text) {
        List<String> literals = new ArrayList<>();
        List<String> columns = new ArrayList<>();
        StringBuilder literal = new StringBuilder();
        int at = 0;
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c != '{' && c != '}') {
                literal.append(c);
                at++;
            } else if (at + 1 < text.length() && text.charAt(at + 1) == c) {
                literal.append(c);
                at += 2;
            } else {
                int end = endOfName(use, text, at);
                columns.add(text.substring(at + 1, end));
                literals.add(literal.toString());
                literal.setLength(0);
                at = end + 1;
            }
        }
        literals.add(literal.toString());
        return new Template(use, text, List.copyOf(literals), List.copyOf(columns));
    }

    /** A template that is the value of one column and nothing else, whatever characters its name has. */
    static Template ofColumn(String use, String column) {
        return new Template(use, column, List.of("", ""), List.of(column));
    }

    /** A template where there are braces, otherwise the name of a column. */
    static Template parseOrColumn(String use, String text) {
        return text.indexOf('{') < 0 && text.indexOf('}') < 0 ? ofColumn(use, text) : parse(use, text);
    }

    /**
     * Finds the columns.
     *
     * @throws PlanException if a column is not there
     */
    BoundTemplate bind(ColumnNames names) {
        int[] indexes = columns.stream()
                .mapToInt(column -> names.indexOf(column, toString()))
                .toArray();
        byte[][] bytes = literals.stream()
                .map(literal -> literal.getBytes(StandardCharsets.UTF_8))
                .toArray(byte[][]::new);
        return new BoundTemplate(this, bytes, indexes);
    }

    /** What this is for and how it was written, such as {@code key=customer:{id}}. */
    @Override
    public String toString() {
        return use + "=" + text;
    }

    private static int endOfName(String use, String text, int open) {
        int end = text.indexOf('}', open);
        if (text.charAt(open) == '}' || end < 0) {
            throw new PlanException("brace without its partner: " + use + "=" + text + ", position=" + (open + 1)
                    + ". Write {column} for a value, and {{ or }} for a brace.");
        }
        if (end == open + 1 || text.lastIndexOf('{', end) > open) {
            throw new PlanException("no column name between braces: " + use + "=" + text + ", position=" + (open + 1)
                    + ". Write {column} for a value, and {{ or }} for a brace.");
        }
        return end;
    }
}
