// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.util.Locale;
import java.util.OptionalLong;

/**
 * What one span of an event will take in the server's memory, if the active ids are spread evenly, which is the worst case; and the
 * form that follows from that.
 *
 * <p>Bitmaps are preferred, since a mark in them is one bit and the server itself combines them; but not where a compressed set takes
 * less than a quarter. What the server's allocator rounds up, and what it reserves for strings that grow bit by bit, comes on top.
 *
 * @param form the one to take
 * @param bytes that it takes
 * @param reason in words, with the alternatives
 */
public record MemoryEstimate(Form form, long bytes, String reason) {

    /** Of a key: its entry, its name, its object. */
    private static final int KEY_BYTES = 120;

    /** Of a chunk's number in the set of them. */
    private static final int NUMBER_BYTES = 40;

    private static final long CONTAINER = 1 << 16;
    private static final long LONGEST_STRING = 512L << 20;

    /**
     * The estimate for ids from 0 to {@code ids - 1}.
     *
     * @param ids 1 or more
     * @param active of them in one span, 0 to {@code ids}
     */
    public static MemoryEstimate of(long ids, long active) {
        long packed = bytes(Form.BITMAP, ids, active).orElse(Long.MAX_VALUE);
        long chunked = bytes(Form.CHUNKED, ids, active).orElse(Long.MAX_VALUE);
        long compressed = bytes(Form.COMPRESSED, ids, active).orElse(Long.MAX_VALUE);
        Form bits = packed < Long.MAX_VALUE ? Form.BITMAP : Form.CHUNKED;
        long bitsBytes = bits == Form.BITMAP ? packed : chunked;
        Form form = compressed < bitsBytes / 4 ? Form.COMPRESSED : bits;
        return new MemoryEstimate(
                form,
                form == Form.COMPRESSED ? compressed : bitsBytes,
                String.format(
                        Locale.ROOT,
                        "%s, because %,d of %,d ids are active in a span: as a bitmap %s bytes, in chunks %s, compressed %s",
                        form,
                        active,
                        ids,
                        shown(packed),
                        shown(chunked),
                        shown(compressed)));
    }

    /** What one span takes in {@code form}; empty if it cannot be kept so. */
    public static OptionalLong bytes(Form form, long ids, long active) {
        Ranges.check("ids", ids, 1, Long.MAX_VALUE);
        Ranges.check("active", active, 0, ids);
        return switch (form) {
            case BITMAP -> ids > 1L << 32 ? OptionalLong.empty() : OptionalLong.of((ids + 7) / 8 + KEY_BYTES);
            case CHUNKED -> OptionalLong.of(chunked(ids, active));
            case COMPRESSED -> {
                long bytes = compressed(ids, active);
                yield bytes > LONGEST_STRING ? OptionalLong.empty() : OptionalLong.of(bytes);
            }
        };
    }

    private static long chunked(long ids, long active) {
        double chunks = touched(ids, Blocks.BITS, active);
        double each = Math.max(1, active / Math.max(1, chunks));
        // A string ends with its last bit: of n bits that is, on average, at n parts of n + 1.
        double length = Math.min(ids, Blocks.BITS) / 8.0 * each / (each + 1);
        return (long) (KEY_BYTES + chunks * (length + KEY_BYTES + NUMBER_BYTES));
    }

    private static long compressed(long ids, long active) {
        double containers = touched(ids, CONTAINER, active);
        double each = active / Math.max(1, containers);
        double maps = touched(ids, 1L << 32, active);
        return (long) (KEY_BYTES + 16 + maps * 12 + containers * (8 + Math.min(2 * each, CONTAINER / 8.0)));
    }

    /** How many parts of {@code size} ids have one of the active ones. */
    private static double touched(long ids, long size, long active) {
        double parts = Math.ceil((double) ids / size);
        return Math.min((double) active, -parts * Math.expm1(-active / parts));
    }

    private static String shown(long bytes) {
        return bytes == Long.MAX_VALUE ? "impossible" : String.format(Locale.ROOT, "%,d", bytes);
    }
}
