// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import io.millrace.client.Invalidation;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Merges the invalidations that arrive between two polls. The merged invalidation is for no key, for some keys, or for
 * all keys. A key that changes several times is stored one time. If the keys exceed the capacity, all keys count as
 * invalidated, which is always safe.
 */
final class InvalidationBuffer implements Mailbox.Buffer<Invalidation> {

    /** A key uses one unit of the capacity, and another unit for each full 128 characters of its length. */
    static final int TYPICAL_KEY_LENGTH = 128;

    private final int capacity;

    // Guarded by the lock of the mailbox.
    private Set<String> keys = new HashSet<>();
    private int usedCapacity;
    private Invalidation.@Nullable Everything everything;

    InvalidationBuffer(int capacity) {
        this.capacity = capacity;
    }

    @Override
    public void add(Invalidation invalidation) {
        switch (invalidation) {
            case Invalidation.Everything all -> invalidateAll(all);
            case Invalidation.ChangedKeys some -> some.keys().forEach(this::add);
        }
    }

    private void add(String key) {
        if (everything == null && keys.add(key)) {
            usedCapacity += 1 + key.length() / TYPICAL_KEY_LENGTH;
            if (usedCapacity > capacity) {
                invalidateAll(new Invalidation.Everything(Invalidation.Cause.OVERFLOWED));
            }
        }
    }

    private void invalidateAll(Invalidation.Everything reason) {
        everything = reason;
        keys = new HashSet<>();
        usedCapacity = 0;
    }

    @Override
    public @Nullable Invalidation poll() {
        Invalidation merged = everything;
        if (merged == null && !keys.isEmpty()) {
            merged = new Invalidation.ChangedKeys(List.copyOf(keys));
        }
        everything = null;
        keys = new HashSet<>();
        usedCapacity = 0;
        return merged;
    }

    @Override
    public int size() {
        return everything == null ? keys.size() : 1;
    }
}
