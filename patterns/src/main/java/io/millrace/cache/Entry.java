// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What Redis has of a key, or why it has nothing.
 *
 * @param value of a {@link Kind#VALUE}
 * @param failure of a {@link Kind#FAILURE}: the class of the loader's exception; otherwise empty
 * @param freshUntil epoch milliseconds, by the clock of whoever wrote it
 * @param refreshFrom epoch milliseconds from which it may be loaded again in the background; {@link Long#MAX_VALUE} for never
 * @param maybeStale whether Redis keeps it for longer than it is fresh. If not, Redis alone ends its time, and clocks that disagree do no harm
 * @param bytes how many it is in Redis; 0 if it is not from there
 */
record Entry<V>(
        Kind kind,
        @Nullable V value,
        String failure,
        long freshUntil,
        long refreshFrom,
        boolean maybeStale,
        int bytes) {

    private static final Entry<?> ABSENT = without(Kind.ABSENT);
    private static final Entry<?> UNREACHABLE = without(Kind.UNREACHABLE);

    /** What there is. */
    enum Kind {
        VALUE,
        /** The loader has said that there is no value. */
        NONE,
        /** The loader has failed. */
        FAILURE,
        /** Redis has nothing, or nothing that can be decoded. */
        ABSENT,
        /** Redis did not answer in time, or not as it should. */
        UNREACHABLE;

        /** Whether there is an entry in Redis. */
        boolean isThere() {
            return this != ABSENT && this != UNREACHABLE;
        }
    }

    @SuppressWarnings("unchecked") // it holds no value
    static <V> Entry<V> absent() {
        return (Entry<V>) ABSENT;
    }

    @SuppressWarnings("unchecked") // it holds no value
    static <V> Entry<V> unreachable() {
        return (Entry<V>) UNREACHABLE;
    }

    /** What a loader has just given, for those that wait for it. */
    static <V> Entry<V> loaded(@Nullable V value) {
        return new Entry<>(value == null ? Kind.NONE : Kind.VALUE, value, "", Long.MAX_VALUE, Long.MAX_VALUE, false, 0);
    }

    private static Entry<?> without(Kind kind) {
        return new Entry<>(kind, null, "", 0, Long.MAX_VALUE, false, 0);
    }

    V present() {
        return Objects.requireNonNull(value);
    }

    /** Whether its freshness has to be looked at. */
    boolean ages() {
        return maybeStale || refreshFrom != Long.MAX_VALUE;
    }

    boolean isStale(long now) {
        return maybeStale && now >= freshUntil;
    }

    /** Whether it is time to load it again in the background. */
    boolean isDue(long now) {
        return now >= refreshFrom || isStale(now);
    }
}
