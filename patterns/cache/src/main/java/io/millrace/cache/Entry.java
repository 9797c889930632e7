// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The entry of a key, or the reason why there is no entry.
 *
 * @param value the value if the kind is {@link Kind#VALUE}; otherwise null
 * @param failure the class name of the exception if the kind is {@link Kind#FAILURE}; otherwise empty
 * @param freshUntil end of the time to live in epoch milliseconds, by the clock of the writer
 * @param refreshFrom start of the refresh-ahead period in epoch milliseconds; {@link Long#MAX_VALUE} if the entry has
 *     no such period
 * @param maybeStale whether Redis keeps the entry after its time to live. If false, only Redis expires the entry. Clock
 *     differences between processes then do not change the time of the expiry
 * @param bytes size of the entry in Redis; 0 if there is no entry; {@link #NOT_READ} if a loader has returned the value
 */
record Entry<V>(
        Kind kind,
        @Nullable V value,
        String failure,
        long freshUntil,
        long refreshFrom,
        boolean maybeStale,
        int bytes) {

    private static final int NOT_READ = -1;

    private static final Entry<?> ABSENT = without(Kind.ABSENT);
    private static final Entry<?> UNREACHABLE = without(Kind.UNREACHABLE);

    /** The kind of an entry. */
    enum Kind {
        VALUE,
        /** A negative entry: the key has no value. */
        NEGATIVE,
        /** A cached failure of the loader. */
        FAILURE,
        /** Redis has no entry, or an undecodable entry. */
        ABSENT,
        /** Redis did not answer in time, or answered with an error. */
        UNREACHABLE;

        /** Whether Redis has an entry. */
        boolean isStored() {
            return this != ABSENT && this != UNREACHABLE;
        }
    }

    @SuppressWarnings("unchecked") // the entry holds no value
    static <V> Entry<V> absent() {
        return (Entry<V>) ABSENT;
    }

    @SuppressWarnings("unchecked") // the entry holds no value
    static <V> Entry<V> unreachable() {
        return (Entry<V>) UNREACHABLE;
    }

    /** Returns an entry for {@code value}, which a loader has just returned. The waiting callers receive this entry. */
    static <V> Entry<V> loaded(@Nullable V value) {
        return new Entry<>(
                value == null ? Kind.NEGATIVE : Kind.VALUE, value, "", Long.MAX_VALUE, Long.MAX_VALUE, false, NOT_READ);
    }

    /** Whether a loader has returned the value, or the absence of a value, during the lookup. */
    boolean isLoaded() {
        return bytes == NOT_READ;
    }

    private static Entry<?> without(Kind kind) {
        return new Entry<>(kind, null, "", 0, Long.MAX_VALUE, false, 0);
    }

    V requireValue() {
        return Objects.requireNonNull(value);
    }

    /** Whether the reader must compare the times of the entry with the clock. */
    boolean needsFreshnessCheck() {
        return maybeStale || refreshFrom != Long.MAX_VALUE;
    }

    boolean isStale(long now) {
        return maybeStale && now >= freshUntil;
    }

    /** Whether a background load is due. */
    boolean isRefreshDue(long now) {
        return now >= refreshFrom || isStale(now);
    }
}
