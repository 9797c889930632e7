// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.load.source.Column;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Each row is a member of a set that the row shares with other rows.
 *
 * @param value column of the member, or a template if the text contains a brace; empty if the member is the row as a JSON
 *     document
 * @param columns columns of the JSON document; only without {@code value}
 */
public record SetTarget(TargetOptions options, Optional<String> value, ColumnSelection columns) implements Target {

    /** The rows as JSON documents, under {@code key}. The key may be the same for all rows. */
    public static SetTarget of(String key) {
        return new SetTarget(TargetOptions.of(key), Optional.empty(), ColumnSelection.ALL);
    }

    /** This target with an expiry of the whole key. */
    public SetTarget withTtl(Duration ttl) {
        return new SetTarget(options.withTtl(ttl), value, columns);
    }

    /** This target with {@code column} as value, or a template if the text contains a brace. */
    public SetTarget withValue(String column) {
        return new SetTarget(options, Optional.of(column), columns);
    }

    @Override
    public String type() {
        return "set";
    }

    @Override
    public String whatVerificationLeavesOut() {
        return "keys and members";
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
                ElementForm.SET,
                RowName.sharedKey(this, names),
                RowValue.of(this, value, columns, names),
                null,
                RowExpiry.of(this, names));
    }
}
