// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.target.Difference;
import io.millrace.load.target.RowMapping;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The places whose last compared row differs from Redis, in the order of the first difference. The number and the bytes
 * of the places are limited, and also the bytes of their differences. Confined to one thread.
 */
final class Suspects {

    /**
     * A place and its difference.
     *
     * @param place the bytes of {@link RowMapping#key} that identify the place
     * @param keyLength number of these bytes that are the key
     * @param counted number of bytes of the difference that count against the limit
     */
    @SuppressWarnings("ArrayRecordComponent")
    record Suspect(byte[] place, int keyLength, Difference difference, int counted) {

        /** The key as text. */
        String key() {
            return new String(place, 0, keyLength, StandardCharsets.UTF_8);
        }
    }

    private final int maxPlaces;
    private final long maxBytes;
    private final Map<ByteBuffer, Suspect> places = new LinkedHashMap<>();
    private long bytes;
    private long differenceBytes;
    private boolean overflowed;

    /** Creates the set. {@code maxBytes} limits the bytes of the places, and separately the bytes of the differences. */
    Suspects(int maxPlaces, long maxBytes) {
        this.maxPlaces = maxPlaces;
        this.maxBytes = maxBytes;
    }

    /**
     * Adds the place of the row that {@code mapping} has prepared, or replaces its difference. If the set is full, sets
     * {@link #overflowed} instead.
     */
    void put(RowMapping mapping, Difference difference) {
        remove(mapping);
        int length = mapping.keyAndFieldLength();
        if (places.size() == maxPlaces || bytes + length > maxBytes) {
            overflowed = true;
            return;
        }
        boolean fits = differenceBytes + difference.size() <= maxBytes;
        Difference kept = fits ? difference : withoutValues(difference);
        int counted = fits ? kept.size() : 0;
        byte[] place = Arrays.copyOf(mapping.key(), length);
        places.put(ByteBuffer.wrap(place), new Suspect(place, mapping.keyLength(), kept, counted));
        bytes += length;
        differenceBytes += counted;
    }

    private static Difference withoutValues(Difference difference) {
        byte[] nothing = {};
        return new Difference(difference.kind(), nothing, nothing, nothing, true);
    }

    void remove(RowMapping mapping) {
        if (places.isEmpty()) {
            return;
        }
        Suspect removed = places.remove(ByteBuffer.wrap(mapping.key(), 0, mapping.keyAndFieldLength()));
        if (removed != null) {
            bytes -= removed.place().length;
            differenceBytes -= removed.counted();
        }
    }

    int size() {
        return places.size();
    }

    /** Whether {@link #put} was called for a new place when the set was full, and did not add the place. */
    boolean overflowed() {
        return overflowed;
    }

    void forEach(Consumer<Suspect> action) {
        places.values().forEach(action);
    }
}
