// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import java.util.Optional;

/** Renders the single value of a row, for a string or for a field of a hash. */
interface RowValue {

    /**
     * The value of the rows of {@code target}: {@code value}, a column or a template, or without {@code value} the row as
     * a JSON document of {@code columns}.
     */
    static RowValue of(Target target, Optional<String> value, ColumnSelection columns, ColumnNames names) {
        return value.<RowValue>map(
                        text -> new TemplateValue(text, target.options().nullText(), names))
                .orElseGet(() -> new JsonDocument(new SelectedColumns(target, columns, names), names));
    }

    /**
     * Checks that a target has a value or columns, but not both.
     *
     * @throws PlanException if the target has both, or if a column is named twice
     */
    static void check(Target target, Optional<String> value, ColumnSelection columns) {
        if (value.isPresent() && !columns.isAll()) {
            throw new PlanException("fields or exclude cannot be combined with value: type=" + target.type() + ", key="
                    + target.options().key() + ", value=" + value.get()
                    + ". With value, the row is not written column by column. Leave out value, or fields and exclude.");
        }
        columns.check();
    }

    /** A rejection if {@code row} has no value. */
    Optional<Rejection> checkValue(Row row);

    /** Appends the value of {@code row}. Call this only if {@link #checkValue} is empty. */
    void render(Row row, Bytes out);
}
