// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmap;

import io.millrace.bitmap.Encoding;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.server.Keyspace;
import io.millrace.lab.server.RedisServer;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.longlong.Roaring64NavigableMap;
import redis.clients.jedis.Jedis;

/**
 * Few ids in a wide range.
 *
 * @param isClustered whether the ids are every second one of two thousand, at random places below 2^40; otherwise one
 *     of twenty thousand ids, at random
 * @param count number of ids
 */
record SparseIds(boolean isClustered, int count) {

    /** The name of the activity that has the ids. */
    static final String NAME = Keyspace.PREFIX + "{sparse}";

    private static final int SEED = 6;
    private static final int CLUSTER = 1_000;
    private static final int CHUNK_SHIFT = 20;

    String word() {
        return isClustered ? "clustered" : "spread";
    }

    /** All ids are below this number. */
    long range() {
        return isClustered ? 1L << 40 : 20_000L * count;
    }

    /** The ids in ascending order, the same in each round. */
    long[] ids() {
        var random = new SplittableRandom(SEED);
        var ids = isClustered
                ? random.longs(0, range() >>> 12)
                        .distinct()
                        .flatMap(place -> LongStream.range(0, CLUSTER).map(i -> (place << 12) + 2 * i))
                : random.longs(0, range()).distinct();
        return ids.limit(count).sorted().toArray();
    }

    /** Compares every id. Reads the ids without the code that wrote the ids. */
    List<String> complaints(Encoding encoding, String key, RedisServer server, Sample sample) {
        var found = read(server.control(), encoding, key);
        return Arrays.equals(found, ids())
                ? List.of()
                : List.of("ids on the server: expected=" + count + ", found=" + found.length + ", and not the same");
    }

    private static long[] read(Jedis control, Encoding encoding, String key) {
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
                .filter(offset -> RandomBits.isSet(bitmap, offset))
                .map(offset -> first + offset);
    }

    /** The portable format of RoaringBitmap, after a stamp of eight bytes. */
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
}
