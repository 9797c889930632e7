// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The columns of a row that are written under their own names, as the fields of a hash or the members of a JSON
 * document.
 *
 * @param fields columns to write, in this order; empty for all columns, including the columns of the key
 * @param exclude columns not to write
 */
public record ColumnSelection(List<String> fields, List<String> exclude) {

    /** All columns. */
    public static final ColumnSelection ALL = new ColumnSelection(List.of(), List.of());

    public ColumnSelection {
        fields = List.copyOf(fields);
        exclude = List.copyOf(exclude);
    }

    /** This selection with only {@code columns} written. */
    public ColumnSelection withFields(String... columns) {
        return new ColumnSelection(List.of(columns), exclude);
    }

    /** This selection with {@code columns} not written. */
    public ColumnSelection withExclude(String... columns) {
        return new ColumnSelection(fields, List.of(columns));
    }

    /** Whether no column is selected or excluded by name, so that all columns are written. */
    boolean isAll() {
        return fields.isEmpty() && exclude.isEmpty();
    }

    /**
     * Checks that each column is named once.
     *
     * @throws PlanException if a column is named twice, or is both selected and excluded
     */
    void check() {
        Set<String> distinct = new HashSet<>(fields);
        if (distinct.size() < fields.size()) {
            throw new PlanException("column named twice: fields=" + fields + ". Name each column once.");
        }
        distinct.retainAll(exclude);
        if (!distinct.isEmpty()) {
            throw new PlanException("column both selected and excluded: fields=" + fields + ", exclude=" + exclude
                    + ". Remove the column from fields or from exclude.");
        }
    }
}
