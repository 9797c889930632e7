// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.target.RowMapping;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/** A set of {@linkplain RowMapping#placeLength places} that is bounded in number and in bytes. Belongs to one thread. */
final class PlaceSet {

    private final int most;
    private final long mostBytes;
    private final Set<ByteBuffer> places = new HashSet<>();
    private long bytes;
    private boolean overflowed;

    PlaceSet(int most, long mostBytes) {
        this.most = most;
        this.mostBytes = mostBytes;
    }

    /** Adds the place of the row that {@code mapping} has prepared, unless there is no room for it. */
    void add(RowMapping mapping) {
        if (contains(mapping)) {
            return;
        }
        int length = mapping.placeLength();
        if (places.size() == most || bytes + length > mostBytes) {
            overflowed = true;
            return;
        }
        places.add(ByteBuffer.wrap(Arrays.copyOf(mapping.key(), length)));
        bytes += length;
    }

    void remove(RowMapping mapping) {
        if (!places.isEmpty() && places.remove(view(mapping))) {
            bytes -= mapping.placeLength();
        }
    }

    boolean contains(RowMapping mapping) {
        return !places.isEmpty() && places.contains(view(mapping));
    }

    int size() {
        return places.size();
    }

    /** Whether a place was left out for want of room: what is not in here may then belong here all the same. */
    boolean overflowed() {
        return overflowed;
    }

    private static ByteBuffer view(RowMapping mapping) {
        return ByteBuffer.wrap(mapping.key(), 0, mapping.placeLength());
    }
}
