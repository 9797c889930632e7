// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.longlong.Roaring64NavigableMap;

/**
 * A compressed set as stored in Redis.
 *
 * <pre>
 *   | stamp: 8 random bytes, new for each write | RoaringBitmap, portable 64-bit format |
 * </pre>
 *
 * @param stamp empty if the key does not exist
 */
@SuppressWarnings("ArrayRecordComponent") // values are never compared
record CompressedValue(byte[] stamp, Roaring64NavigableMap set) {

    /** The value of a key that does not exist. Must not be changed. */
    static final CompressedValue MISSING = empty();

    static CompressedValue read(String key, Optional<byte[]> value) {
        if (value.isEmpty()) {
            return empty();
        }
        byte[] bytes = value.get();
        if (bytes.length < Long.BYTES) {
            throw unreadable(key, bytes, null);
        }
        Roaring64NavigableMap set = emptySet();
        try {
            set.deserializePortable(
                    new DataInputStream(new ByteArrayInputStream(bytes, Long.BYTES, bytes.length - Long.BYTES)));
        } catch (IOException | RuntimeException e) { // the library does not check the lengths that it reads
            throw unreadable(key, bytes, e);
        }
        return new CompressedValue(Arrays.copyOf(bytes, Long.BYTES), set);
    }

    /** Returns a new value of a key that does not exist. */
    private static CompressedValue empty() {
        return new CompressedValue(new byte[0], emptySet());
    }

    /**
     * Returns an empty set. The RoaringBitmap library can cache the cumulated counts of a set. This set does not use
     * this cache. The cache becomes wrong when the set is combined with a set whose ids differ in the upper 32 bits.
     */
    static Roaring64NavigableMap emptySet() {
        return new Roaring64NavigableMap(false, false);
    }

    static byte[] stamp(long random) {
        return ByteBuffer.allocate(Long.BYTES).putLong(random).array();
    }

    /** Returns the stamp and the set in bytes. May change the representation of the set, but not its ids. */
    byte[] encode() {
        set.runOptimize();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.write(stamp);
            set.serializePortable(out);
        } catch (IOException e) {
            throw new UncheckedIOException("a compressed set could not be encoded", e);
        }
        return bytes.toByteArray();
    }

    private static BitmapException unreadable(String key, byte[] bytes, @Nullable Throwable cause) {
        return new BitmapException(
                "a compressed set is unreadable: key=" + key + ", bytes=" + bytes.length
                        + ". Another client writes to this key. Delete the key and mark again.",
                cause);
    }
}
