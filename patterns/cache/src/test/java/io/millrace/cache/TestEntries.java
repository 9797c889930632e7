// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

/** Creates entries as if read from Redis. */
final class TestEntries {

    private TestEntries() {}

    /** Returns the entry of a value that does not expire. */
    static <V> Entry<V> of(V value) {
        return until(value, Long.MAX_VALUE);
    }

    static <V> Entry<V> until(V value, long freshUntil) {
        return sized(value, freshUntil, 0);
    }

    static <V> Entry<V> sized(V value, long freshUntil, int bytes) {
        return new Entry<>(Entry.Kind.VALUE, value, "", freshUntil, Long.MAX_VALUE, false, bytes);
    }
}
