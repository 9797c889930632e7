// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.load.source.Column;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Each row is one field of a hash that the row shares with other rows. The key may be the same for all rows.
 *
 * @param field template of the field name
 * @param value column of the field value, or a template if the text contains a brace; empty if the value is the row as
 *     a JSON document
 * @param columns columns of the JSON document; only without {@code value}
 */
public record HashFieldTarget(TargetOptions options, String field, Optional<String> value, ColumnSelection columns)
        implements Target {

    /** Fields named {@code field} in hashes under {@code key}; each value is the whole row as a JSON document. */
    public static HashFieldTarget of(String key, String field) {
        return new HashFieldTarget(TargetOptions.of(key), field, Optional.empty(), ColumnSelection.ALL);
    }

    /** This target with an expiry of the hash. */
    public HashFieldTarget withTtl(Duration ttl) {
        return new HashFieldTarget(options.withTtl(ttl), field, value, columns);
    }

    /** This target with a text for NULL. */
    public HashFieldTarget withNullText(String text) {
        return new HashFieldTarget(options.withNullText(text), field, value, columns);
    }

    /** This target with {@code column} as value, or a template if the text contains a brace. */
    public HashFieldTarget withValue(String column) {
        return new HashFieldTarget(options, field, Optional.of(column), columns);
    }

    /** This target with only {@code names} in the JSON document. */
    public HashFieldTarget withFields(String... names) {
        return new HashFieldTarget(options, field, value, columns.withFields(names));
    }

    /** This target with {@code names} not in the JSON document. */
    public HashFieldTarget withExclude(String... names) {
        return new HashFieldTarget(options, field, value, columns.withExclude(names));
    }

    @Override
    public String type() {
        return "hash";
    }

    @Override
    public String whatVerificationLeavesOut() {
        return "keys and fields";
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
        RowValue fieldValue = RowValue.of(this, value, columns, names);
        FieldLocator locator =
                new TemplateLocator(RowName.sharedKey(this, names), RowName.within("field", field, names));
        return new HashFieldMapping(locator, fieldValue, RowExpiry.of(this, names));
    }
}
