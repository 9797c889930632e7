// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.load.source.Row;

/** A template whose columns have been found, so that a row can be put in. */
final class BoundTemplate {

    private final Template template;
    private final byte[][] literals;
    private final int[] columns;

    BoundTemplate(Template template, byte[][] literals, int[] columns) {
        this.template = template;
        this.literals = literals;
        this.columns = columns;
    }

    /** Whether no column is named, so that every row gives the same. */
    boolean isConstant() {
        return columns.length == 0;
    }

    /** The first named column that is NULL in {@code row}; -1 if none is. */
    int firstNull(Row row) {
        for (int column : columns) {
            if (row.isNull(column)) {
                return column;
            }
        }
        return -1;
    }

    /** The first named column that is NULL or empty in {@code row}; -1 if none is. */
    int firstEmpty(Row row) {
        for (int column : columns) {
            if (row.length(column) == 0) {
                return column;
            }
        }
        return -1;
    }

    /** Appends this template with the values of {@code row}, and {@code nullText} for NULL. */
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

    /** As {@link Template#toString}. */
    @Override
    public String toString() {
        return template.toString();
    }
}
