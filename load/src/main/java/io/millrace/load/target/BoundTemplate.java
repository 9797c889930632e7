// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.load.source.Row;

/** A template that is bound to the columns of a source, so that it can render rows. */
final class BoundTemplate {

    private final Template template;
    private final byte[][] literals;
    private final int[] columns;

    BoundTemplate(Template template, byte[][] literals, int[] columns) {
        this.template = template;
        this.literals = literals;
        this.columns = columns;
    }

    /** Whether the template names no column, so that its text is the same for every row. */
    boolean isConstant() {
        return columns.length == 0;
    }

    /** The first column of the template that is NULL in {@code row}; -1 if there is none. */
    int firstNull(Row row) {
        for (int column : columns) {
            if (row.isNull(column)) {
                return column;
            }
        }
        return -1;
    }

    /** The first column of the template that is NULL or empty in {@code row}; -1 if there is none. */
    int firstEmpty(Row row) {
        for (int column : columns) {
            if (row.length(column) == 0) {
                return column;
            }
        }
        return -1;
    }

    /** Appends the text of the template for {@code row}, with {@code nullText} for NULL. */
    void render(Row row, byte[] nullText, Bytes out) {
        for (int i = 0; i < columns.length; i++) {
            out.append(literals[i]);
            if (row.isNull(columns[i])) {
                out.append(nullText);
            } else {
                out.append(row, columns[i]);
            }
        }
        out.append(literals[columns.length]);
    }

    /** The same text as {@link Template#toString}. */
    @Override
    public String toString() {
        return template.toString();
    }
}
