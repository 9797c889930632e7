// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.target.RowMapping;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * A set of places in Redis. A place is the target of a row: a key, or a key and a hash field ({@link
 * RowMapping#keyAndFieldLength}). The set is limited to a number of places and to a number of bytes. Confined to one
 * thread.
 */
final class KeySet {

    private final int maxPlaces;
    private final long maxBytes;
    private final Set<ByteBuffer> places = new HashSet<>();
    private long bytes;
    private boolean overflowed;

    KeySet(int maxPlaces, long maxBytes) {
        this.maxPlaces = maxPlaces;
        this.maxBytes = maxBytes;
    }

    /**
     * Adds the place of the row that {@code mapping} has prepared. If the set is full, sets {@link #overflowed}
     * instead.
     */
    void add(RowMapping mapping) {
        if (contains(mapping)) {
            return;
        }
        int length = mapping.keyAndFieldLength();
        if (places.size() == maxPlaces || bytes + length > maxBytes) {
            overflowed = true;
            return;
        }
        places.add(ByteBuffer.wrap(Arrays.copyOf(mapping.key(), length)));
        bytes += length;
    }

    void remove(RowMapping mapping) {
        if (!places.isEmpty() && places.remove(view(mapping))) {
            bytes -= mapping.keyAndFieldLength();
        }
    }

    boolean contains(RowMapping mapping) {
        return !places.isEmpty() && places.contains(view(mapping));
    }

    int size() {
        return places.size();
    }

    /** Whether {@link #add} was called for a new place when the set was full, and did not add the place. */
    boolean overflowed() {
        return overflowed;
    }

    private static ByteBuffer view(RowMapping mapping) {
        return ByteBuffer.wrap(mapping.key(), 0, mapping.keyAndFieldLength());
    }
}
