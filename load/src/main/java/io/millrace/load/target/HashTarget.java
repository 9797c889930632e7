// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.load.source.Column;
import java.time.Duration;
import java.util.List;

/**
 * Each row is a hash with one field per column.
 *
 * @param columns columns to write
 * @param replaceRow whether the write deletes the key first: the hash then has exactly the fields of this row, and no
 *     expiry except the expiry of this target; otherwise the hash keeps its other fields
 */
public record HashTarget(TargetOptions options, ColumnSelection columns, boolean replaceRow) implements Target {

    /**
     * Hashes under {@code key} with all columns, without an expiry and without a text for NULL. Other fields of an
     * existing hash are kept.
     */
    public static HashTarget of(String key) {
        return new HashTarget(TargetOptions.of(key), ColumnSelection.ALL, false);
    }

    /** This target with an expiry. */
    public HashTarget withTtl(Duration ttl) {
        return new HashTarget(options.withTtl(ttl), columns, replaceRow);
    }

    /** This target with a text for NULL. */
    public HashTarget withNullText(String text) {
        return new HashTarget(options.withNullText(text), columns, replaceRow);
    }

    /** This target with only {@code names} written. */
    public HashTarget withFields(String... names) {
        return new HashTarget(options, columns.withFields(names), replaceRow);
    }

    /** This target with {@code names} not written. */
    public HashTarget withExclude(String... names) {
        return new HashTarget(options, columns.withExclude(names), replaceRow);
    }

    /** This target with a column that has the expiry of each row: {@link TargetOptions#ttlField}. */
    public HashTarget withTtlField(String column) {
        return new HashTarget(options.withTtlField(column), columns, replaceRow);
    }

    /** This target with {@link TargetOptions#TTL_JITTER}. */
    public HashTarget withTtlJitter(double part) {
        return new HashTarget(options.withTtlJitter(part), columns, replaceRow);
    }

    /** This target with rows left out if their key exists. */
    public HashTarget withOnlyMissing() {
        return new HashTarget(options.withOnlyMissing(), columns, replaceRow);
    }

    /** This target with each hash replaced. */
    public HashTarget withReplaceRow() {
        return new HashTarget(options, columns, true);
    }

    @Override
    public String type() {
        return "hash";
    }

    /** The number of fields of a replaced hash is compared. */
    @Override
    public String whatVerificationLeavesOut() {
        return replaceRow ? "keys" : "keys and fields";
    }

    @Override
    public void check() {
        options.check();
        columns.check();
        if (replaceRow && options.onlyMissing()) {
            throw new PlanException("onlyMissing cannot be combined with replaceRow: type=" + type() + ", key="
                    + options.key() + ". A missing key has nothing to replace. Leave out one of these options.");
        }
    }

    @Override
    public RowMapping bind(List<Column> sourceColumns) {
        check();
        return new HashMapping(this, new ColumnNames(sourceColumns));
    }
}
