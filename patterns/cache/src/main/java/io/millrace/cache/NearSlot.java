// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import org.jspecify.annotations.Nullable;

/**
 * The near cache state of a key: an entry, or a mark while Redis is being read. Slots are compared by identity. A slot
 * that is still in the map was not invalidated.
 */
final class NearSlot<V> implements NearCache.PendingRead {

    private final String key;
    private final @Nullable Entry<V> entry;

    private NearSlot(String key, @Nullable Entry<V> entry) {
        this.key = key;
        this.entry = entry;
    }

    static <V> NearSlot<V> mark(String key) {
        return new NearSlot<>(key, null);
    }

    NearSlot<V> with(Entry<V> answer) {
        return new NearSlot<>(key, answer);
    }

    String key() {
        return key;
    }

    /** Returns the entry; null if this slot is a mark. */
    @Nullable
    Entry<V> entry() {
        return entry;
    }
}
