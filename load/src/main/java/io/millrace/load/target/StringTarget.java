// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.load.source.Column;
import java.time.Duration;
import java.util.List;

/**
 * Each row is a string. SET replaces the value that the key had before, of any type and with its expiry.
 *
 * @param value column of the value, or a template if the text contains a brace
 */
public record StringTarget(TargetOptions options, String value) implements Target {

    /** Strings under {@code key} with the given value, without an expiry and without a text for NULL. */
    public static StringTarget of(String key, String value) {
        return new StringTarget(TargetOptions.of(key), value);
    }

    /** This target with an expiry. */
    public StringTarget withTtl(Duration ttl) {
        return new StringTarget(options.withTtl(ttl), value);
    }

    /** This target with a text for NULL. */
    public StringTarget withNullText(String text) {
        return new StringTarget(options.withNullText(text), value);
    }

    /** This target with a column that has the expiry of each row: {@link TargetOptions#ttlField}. */
    public StringTarget withTtlField(String column) {
        return new StringTarget(options.withTtlField(column), value);
    }

    /** This target with {@link TargetOptions#TTL_JITTER}. */
    public StringTarget withTtlJitter(double part) {
        return new StringTarget(options.withTtlJitter(part), value);
    }

    /** This target with rows left out if their key exists. */
    public StringTarget withOnlyMissing() {
        return new StringTarget(options.withOnlyMissing(), value);
    }

    /** The same keys and values, packed into buckets. */
    public BucketTarget withBucket(BucketOptions bucketOptions) {
        return new BucketTarget(options, value, bucketOptions);
    }

    @Override
    public String type() {
        return "string";
    }

    @Override
    public RowMapping bind(List<Column> columns) {
        check();
        ColumnNames names = new ColumnNames(columns);
        return new StringMapping(this, new TemplateValue(value, options.nullText(), names), names);
    }
}
