// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.Setting;
import java.util.Locale;
import java.util.OptionalLong;

/**
 * An estimate of the server memory of one span of an event, and the recommended encoding. The estimate assumes that the
 * active ids are spread evenly over all ids, which is the worst case.
 *
 * <p>A compressed set is recommended if it takes less than a quarter of the memory of the bitmap encoding. Otherwise
 * the bitmap encoding is recommended ({@code CHUNKED} if an id is too large for {@code BITMAP}), because a mark changes
 * only one bit and the server combines bitmaps. The estimate does not include two costs: the allocator rounds sizes up,
 * and a growing string has spare space.
 *
 * @param encoding the recommended encoding
 * @param bytes the estimated memory of this encoding
 * @param reason the reason in words, with the estimates of all encodings
 */
public record MemoryEstimate(Encoding encoding, long bytes, String reason) {

    /** The memory of a key: its entry, name and object. */
    private static final int KEY_BYTES = 120;

    /** The memory of a chunk number in the set of chunk numbers. */
    private static final int NUMBER_BYTES = 40;

    private static final long CONTAINER = 1 << 16;
    private static final long MAX_STRING_BYTES = 512L << 20;

    /**
     * Returns the estimate for ids from 0 to {@code ids - 1}.
     *
     * @param ids the number of ids, 1 or more
     * @param active the number of active ids in one span, 0 to {@code ids}
     */
    public static MemoryEstimate of(long ids, long active) {
        long packed = bytes(Encoding.BITMAP, ids, active).orElse(Long.MAX_VALUE);
        long chunked = bytes(Encoding.CHUNKED, ids, active).orElse(Long.MAX_VALUE);
        long compressed = bytes(Encoding.COMPRESSED, ids, active).orElse(Long.MAX_VALUE);
        Encoding bits = packed < Long.MAX_VALUE ? Encoding.BITMAP : Encoding.CHUNKED;
        long bitsBytes = bits == Encoding.BITMAP ? packed : chunked;
        Encoding encoding = compressed < bitsBytes / 4 ? Encoding.COMPRESSED : bits;
        return new MemoryEstimate(
                encoding,
                encoding == Encoding.COMPRESSED ? compressed : bitsBytes,
                String.format(
                        Locale.ROOT,
                        "%s, because %,d of %,d ids are active in a span."
                                + " Estimated bytes: bitmap=%s, chunked=%s, compressed=%s",
                        encoding,
                        active,
                        ids,
                        shown(packed),
                        shown(chunked),
                        shown(compressed)));
    }

    /**
     * Returns the estimated memory of one span in {@code encoding}. The result is empty if {@code encoding} cannot
     * store the ids.
     */
    public static OptionalLong bytes(Encoding encoding, long ids, long active) {
        Setting.checkArgument("ids", ids, 1, Long.MAX_VALUE);
        Setting.checkArgument("active", active, 0, ids);
        return switch (encoding) {
            case BITMAP -> ids > 1L << 32 ? OptionalLong.empty() : OptionalLong.of((ids + 7) / 8 + KEY_BYTES);
            case CHUNKED -> OptionalLong.of(chunked(ids, active));
            case COMPRESSED -> {
                long bytes = compressed(ids, active);
                yield bytes > MAX_STRING_BYTES ? OptionalLong.empty() : OptionalLong.of(bytes);
            }
        };
    }

    private static long chunked(long ids, long active) {
        double chunks = touched(ids, Blocks.BITS, active);
        double each = Math.max(1, active / Math.max(1, chunks));
        // A string ends with its last set bit. With n random set bits the last set bit is on average at n / (n + 1) of
        // the range.
        double length = Math.min(ids, Blocks.BITS) / 8.0 * each / (each + 1);
        return (long) (KEY_BYTES + chunks * (length + KEY_BYTES + NUMBER_BYTES));
    }

    private static long compressed(long ids, long active) {
        double containers = touched(ids, CONTAINER, active);
        double each = active / Math.max(1, containers);
        double maps = touched(ids, 1L << 32, active);
        return (long) (KEY_BYTES + 16 + maps * 12 + containers * (8 + Math.min(2 * each, CONTAINER / 8.0)));
    }

    /** Returns the expected number of ranges of {@code size} ids that contain an active id. */
    private static double touched(long ids, long size, long active) {
        double parts = Math.ceil((double) ids / size);
        return Math.min((double) active, -parts * Math.expm1(-active / parts));
    }

    private static String shown(long bytes) {
        return bytes == Long.MAX_VALUE ? "impossible" : String.format(Locale.ROOT, "%,d", bytes);
    }
}
