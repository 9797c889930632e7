// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.client.command.SetOptions;
import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The expiry of the key of a row: the same for all rows, or from a column, and shortened by the jitter. The jitter
 * depends only on the key, so all rows of a key have the same expiry, and a repeated load has it too. Confined to the
 * thread of its mapping.
 */
final class RowExpiry {

    private static final long MAX_MILLIS = SetOptions.MAX_TTL.toMillis();
    private static final int NO_COLUMN = -1;

    private final TargetOptions options;
    private final long commonMillis;
    private final int column;

    /** The expiry of the prepared row; 0 for none. */
    private long millis;

    private RowExpiry(TargetOptions options, int column) {
        this.options = options;
        this.column = column;
        this.commonMillis = options.ttl().map(Duration::toMillis).orElse(0L);
        this.millis = commonMillis;
    }

    /**
     * The expiry of the rows of {@code target}.
     *
     * @throws PlanException if the target names a column that is missing or exists twice
     */
    static RowExpiry of(Target target, ColumnNames names) {
        TargetOptions options = target.options();
        return new RowExpiry(
                options,
                options.ttlField()
                        .map(name -> names.indexOf(name, "ttlField=" + name))
                        .orElse(NO_COLUMN));
    }

    /** Whether rows have an expiry. */
    boolean isPresent() {
        return options.expires();
    }

    /** Whether the expiry may differ from row to row. If so, {@link #current} needs a prepared row. */
    boolean differs() {
        return column != NO_COLUMN || options.ttlJitter() > 0;
    }

    /**
     * Computes the expiry of {@code row}, whose key is in the first {@code keyLength} bytes of {@code key}. Returns a
     * rejection if the row has no legal expiry.
     */
    Optional<Rejection> prepare(Row row, byte[] key, int keyLength) {
        if (!differs()) {
            return Optional.empty();
        }
        long own = commonMillis;
        if (column != NO_COLUMN && (row.length(column) > 0 || commonMillis == 0)) {
            own = TtlColumn.millis(row.bytes(), row.start(column), row.length(column));
            if (own < 1 || own > MAX_MILLIS) {
                return Optional.of(illegal(row));
            }
        }
        millis = own - (long) (own * options.ttlJitter() * fraction(key, keyLength));
        return Optional.empty();
    }

    /** Milliseconds from the write of the prepared row to the expiry of its key; 0 for none. */
    long millis() {
        return millis;
    }

    /** The expiry of the prepared row. */
    Expiry current() {
        return new Expiry(millis == 0 ? OptionalLong.empty() : OptionalLong.of(millis));
    }

    private Rejection illegal(Row row) {
        String text = row.isNull(column) ? "NULL" : "'" + row.text(column) + "'";
        return new Rejection(
                Rejection.Reason.EXPIRY_INVALID,
                "expiry is not a time of 1 ms to 36,500 days: "
                        + options.ttlField().orElseThrow() + "=" + text
                        + ". Write whole seconds, or a whole number and a unit, such as 500ms, 30s, 15m, 1h or 7d.");
    }

    /** A number from 0 to just under 1 that depends only on the key: FNV-1a with a final mix that spreads all bits. */
    private static double fraction(byte[] key, int length) {
        int hash = 0x811c9dc5;
        for (int i = 0; i < length; i++) {
            hash = (hash ^ key[i]) * 0x01000193;
        }
        hash = (hash ^ (hash >>> 16)) * 0x85ebca6b;
        hash = (hash ^ (hash >>> 13)) * 0xc2b2ae35;
        return ((hash ^ (hash >>> 16)) & 0xffffffffL) * 0x1p-32;
    }
}
