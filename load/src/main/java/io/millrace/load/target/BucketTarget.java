// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.load.source.Column;
import java.util.List;
import java.util.Optional;

/**
 * Each row is a string that is packed into a bucket: one field of a hash that the row shares with other rows. A pair
 * that is written again replaces its old value. Buckets have no expiry.
 *
 * @param value column of the value, or a template if the text contains a brace
 * @param buckets size of the buckets and form of the keys
 */
public record BucketTarget(TargetOptions options, String value, BucketOptions buckets) implements Target {

    /** This target with a text for NULL. */
    public BucketTarget withNullText(String text) {
        return new BucketTarget(options.withNullText(text), value, buckets);
    }

    @Override
    public String type() {
        return "string";
    }

    @Override
    public String redisType() {
        return "hash";
    }

    @Override
    public Optional<BucketOptions> bucket() {
        return Optional.of(buckets);
    }

    @Override
    public void check() {
        if (options.ttl().isPresent()) {
            throw new PlanException("ttl cannot be combined with bucket: type=" + type() + ", key="
                    + options.key()
                    + ". A field cannot have a separate expiry before Redis 7.4, and an expiry of the hash would "
                    + "apply to all its pairs.");
        }
        options.checkSharedKey(type());
        // Checks only the range of the numbers.
        buckets.layout("");
    }

    @Override
    public RowMapping bind(List<Column> columns) {
        check();
        ColumnNames names = new ColumnNames(columns);
        return new HashFieldMapping(
                new BucketLocator(this, names),
                new TemplateValue(value, options.nullText(), names),
                RowExpiry.of(this, names));
    }
}
