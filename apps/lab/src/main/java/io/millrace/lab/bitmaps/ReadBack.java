// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmaps;

import io.millrace.bitmap.Encoding;
import io.millrace.lab.library.BitByBit;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.longlong.Roaring64NavigableMap;
import redis.clients.jedis.Jedis;

/** The ids of one span as they are on the server, read without the code that wrote them. */
final class ReadBack {

    private static final int CHUNK_SHIFT = 20;

    /** Ascending, of what is at {@code key}, or, in chunks, at keys that begin with it; empty if nothing is. */
    static long[] ids(Jedis control, Encoding encoding, String key) {
        return switch (encoding) {
            case BITMAP -> bits(value(control, key), 0).toArray();
            case CHUNKED ->
                control.smembers(key + ":chunks").stream()
                        .mapToLong(Long::parseLong)
                        .sorted()
                        .flatMap(chunk -> bits(value(control, key + ":" + chunk), chunk << CHUNK_SHIFT))
                        .toArray();
            case COMPRESSED -> decompressed(value(control, key));
        };
    }

    private static byte[] value(Jedis control, String key) {
        byte @Nullable [] value = control.get(key.getBytes(StandardCharsets.UTF_8));
        return value == null ? new byte[0] : value;
    }

    private static LongStream bits(byte[] bitmap, long first) {
        return LongStream.range(0, 8L * bitmap.length)
                .filter(offset -> BitByBit.isSet(bitmap, offset))
                .map(offset -> first + offset);
    }

    /** The portable format of RoaringBitmap, behind a stamp. */
    private static long[] decompressed(byte[] value) {
        var set = new Roaring64NavigableMap();
        if (value.length > Long.BYTES) {
            try {
                set.deserializePortable(
                        new DataInputStream(new ByteArrayInputStream(value, Long.BYTES, value.length - Long.BYTES)));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return set.toArray();
    }

    private ReadBack() {}
}
