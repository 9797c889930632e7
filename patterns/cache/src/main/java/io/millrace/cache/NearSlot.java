// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import org.jspecify.annotations.Nullable;

/**
 * The value of a key in the map of a near cache. A slot has an entry, or the slot is a placeholder: the key is being
 * read from Redis. An invalidation removes the slot from the map. So if a thread finds the same instance in the map
 * again, the key was not invalidated.
 */
final class NearSlot<V> implements NearCache.PendingRead {

    private final String key;
    private final @Nullable Entry<V> entry;

    private NearSlot(String key, @Nullable Entry<V> entry) {
        this.key = key;
        this.entry = entry;
    }

    static <V> NearSlot<V> placeholder(String key) {
        return new NearSlot<>(key, null);
    }

    NearSlot<V> with(Entry<V> answer) {
        return new NearSlot<>(key, answer);
    }

    String key() {
        return key;
    }

    /** Returns the entry; null if this slot is a placeholder. */
    @Nullable
    Entry<V> entry() {
        return entry;
    }
}
