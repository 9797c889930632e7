// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.Invalidation;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The sum of all invalidations since they were last taken: nothing, some keys, or everything. So a key that changes often takes
 * the place of one, and where there is no room for all keys their sum is everything, which is never too little.
 */
final class ChangedKeys implements Mailbox.Backlog<Invalidation> {

    /** A longer key takes the room of several. */
    static final int USUAL_LENGTH = 128;

    private final int capacity;

    // Guarded by the mailbox.
    private Set<String> keys = new HashSet<>();
    private int room;
    private Invalidation.@Nullable Everything everything;

    ChangedKeys(int capacity) {
        this.capacity = capacity;
    }

    @Override
    public void add(Invalidation invalidation) {
        switch (invalidation) {
            case Invalidation.Everything all -> forgetKeys(all);
            case Invalidation.Keys some -> some.keys().forEach(this::add);
        }
    }

    private void add(String key) {
        if (everything == null && keys.add(key)) {
            room += 1 + key.length() / USUAL_LENGTH;
            if (room > capacity) {
                forgetKeys(new Invalidation.Everything(Invalidation.Cause.OVERFLOWED));
            }
        }
    }

    private void forgetKeys(Invalidation.Everything reason) {
        everything = reason;
        keys = new HashSet<>();
        room = 0;
    }

    @Override
    public @Nullable Invalidation poll() {
        Invalidation sum = everything;
        if (sum == null && !keys.isEmpty()) {
            sum = new Invalidation.Keys(List.copyOf(keys));
        }
        everything = null;
        keys = new HashSet<>();
        room = 0;
        return sum;
    }

    @Override
    public int size() {
        return everything == null ? keys.size() : 1;
    }
}
