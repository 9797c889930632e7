// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import org.jspecify.annotations.Nullable;

/**
 * What a near cache has of a key: an entry, or only the mark that Redis is being asked. No slot is equal to another, so one that
 * is still in its place has not been removed meanwhile.
 */
final class Slot<V> implements Near.Ticket {

    private final String key;
    private final @Nullable Entry<V> entry;

    private Slot(String key, @Nullable Entry<V> entry) {
        this.key = key;
        this.entry = entry;
    }

    static <V> Slot<V> mark(String key) {
        return new Slot<>(key, null);
    }

    Slot<V> with(Entry<V> answer) {
        return new Slot<>(key, answer);
    }

    String key() {
        return key;
    }

    /** Null if it is only a mark. */
    @Nullable
    Entry<V> entry() {
        return entry;
    }
}
