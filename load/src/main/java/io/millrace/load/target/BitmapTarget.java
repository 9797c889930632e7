// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.load.source.Column;
import java.time.Duration;
import java.util.List;

/**
 * Each row sets one bit of a bitmap that the row shares with other rows. Other bits stay unchanged.
 *
 * @param offset column of the offset: a whole number from 0 to 4,294,967,295
 */
public record BitmapTarget(TargetOptions options, String offset) implements Target {

    /** Bitmaps under {@code key}. The key may be the same for all rows. */
    public static BitmapTarget of(String key, String offset) {
        return new BitmapTarget(TargetOptions.of(key), offset);
    }

    /** This target with an expiry of the whole key. */
    public BitmapTarget withTtl(Duration ttl) {
        return new BitmapTarget(options.withTtl(ttl), offset);
    }

    @Override
    public String type() {
        return "bitmap";
    }

    @Override
    public String redisType() {
        return "string";
    }

    @Override
    public String whatVerificationLeavesOut() {
        return "keys and bits";
    }

    @Override
    public void check() {
        options.checkSharedKey(type());
    }

    @Override
    public RowMapping bind(List<Column> sourceColumns) {
        check();
        ColumnNames names = new ColumnNames(sourceColumns);
        return new ElementMapping(
                ElementForm.BITMAP,
                RowName.sharedKey(this, names),
                new OffsetValue(names.indexOf(offset, "offset=" + offset), offset),
                null,
                RowExpiry.of(this, names));
    }
}
