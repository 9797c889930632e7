// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.load.source.Column;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Each row is appended to a list. Rows of one key are appended in their order. A repeated load appends the rows again.
 *
 * @param value column of the element, or a template if the text contains a brace; empty if the element is the row as a JSON
 *     document
 * @param columns columns of the JSON document; only without {@code value}
 */
public record ListTarget(TargetOptions options, Optional<String> value, ColumnSelection columns) implements Target {

    /** The rows as JSON documents, under {@code key}. The key may be the same for all rows. */
    public static ListTarget of(String key) {
        return new ListTarget(TargetOptions.of(key), Optional.empty(), ColumnSelection.ALL);
    }

    /** This target with an expiry of the whole key. */
    public ListTarget withTtl(Duration ttl) {
        return new ListTarget(options.withTtl(ttl), value, columns);
    }

    /** This target with {@code column} as value, or a template if the text contains a brace. */
    public ListTarget withValue(String column) {
        return new ListTarget(options, Optional.of(column), columns);
    }

    @Override
    public String type() {
        return "list";
    }

    @Override
    public Optional<String> whyNotVerifiable() {
        return Optional.of("a list has no name for a row: its elements may repeat, and other clients may take them");
    }

    @Override
    public void check() {
        options.checkSharedKey(type());
        RowValue.check(this, value, columns);
    }

    @Override
    public RowMapping bind(List<Column> sourceColumns) {
        check();
        ColumnNames names = new ColumnNames(sourceColumns);
        return new ElementMapping(
                ElementForm.LIST,
                RowName.sharedKey(this, names),
                RowValue.of(this, value, columns, names),
                null,
                RowExpiry.of(this, names));
    }
}
