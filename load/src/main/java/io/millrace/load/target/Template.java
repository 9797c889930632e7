// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Text with placeholders for column values, such as {@code customer:{id}}.
 *
 * <p>A column name in braces is replaced by the value of the column. A doubled brace is a literal brace: {@code
 * {{{id}}}} gives {@code {42}}, a hash tag. A template cannot name a column whose name contains a brace.
 *
 * @param use option that the template belongs to, such as {@code key}; for messages
 * @param text the template as written by the user
 * @param literals text before, between and after the columns; one more literal than columns; a literal may be empty
 * @param columns the column names
 */
record Template(String use, String text, List<String> literals, List<String> columns) {

    /**
     * Parses a template.
     *
     * @throws PlanException if braces are not in pairs
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

    /** A template that consists of one column. The name of the column may contain any character. */
    static Template ofColumn(String use, String column) {
        return new Template(use, column, List.of("", ""), List.of(column));
    }

    /** Parses a template if the text contains a brace; otherwise the text is the name of a column. */
    static Template parseOrColumn(String use, String text) {
        return text.indexOf('{') < 0 && text.indexOf('}') < 0 ? ofColumn(use, text) : parse(use, text);
    }

    /**
     * Binds this template to the columns of a source.
     *
     * @throws PlanException if a column does not exist
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

    /** The option and the text, such as {@code key=customer:{id}}. */
    @Override
    public String toString() {
        return use + "=" + text;
    }

    private static int endOfName(String use, String text, int open) {
        int end = text.indexOf('}', open);
        if (text.charAt(open) == '}' || end < 0) {
            throw new PlanException("unpaired brace: " + use + "=" + text + ", position=" + (open + 1)
                    + ". Write {column} for a value, and {{ or }} for a brace.");
        }
        if (end == open + 1 || text.lastIndexOf('{', end) > open) {
            throw new PlanException("no column name between braces: " + use + "=" + text + ", position=" + (open + 1)
                    + ". Write {column} for a value, and {{ or }} for a brace.");
        }
        return end;
    }
}
