// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.fusion;

import io.millrace.resp.RequestEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Fuses {@code SETBIT}s on one key into {@code BITFIELD key SET u1 offset bit …}. Consecutive offsets become one field
 * of up to 63 bits. The first offset is the highest bit of the field, as in a Redis string.
 */
final class BitBatch extends FusedBatch {

    private static final byte[] BITFIELD = name("BITFIELD");
    private static final byte[] SET = "SET".getBytes(StandardCharsets.US_ASCII);

    /** Maximum width of an unsigned field. */
    private static final int MAX_WIDTH = 63;

    private static final long LAST_OFFSET = (1L << 32) - 1;

    private static final byte[][] TYPES = types();

    // One array entry per bit field.
    private final long[] offsets = new long[MAX_COMMANDS];
    private final long[] values = new long[MAX_COMMANDS];
    private final byte[] widths = new byte[MAX_COMMANDS];
    private int fields;

    @Override
    boolean accepts(BufferedArguments arguments) {
        if (arguments.count() != 3) {
            return false;
        }
        long offset = arguments.number(1);
        long bit = arguments.number(2);
        return offset >= 0 && offset <= LAST_OFFSET && (bit == 0 || bit == 1);
    }

    @Override
    boolean canFollow(BufferedArguments first, BufferedArguments next) {
        return next.sameAt(0, first);
    }

    @Override
    void begin(RequestEncoder encoder, BufferedArguments first) {
        fields = 0;
        add(encoder, first);
    }

    @Override
    void add(RequestEncoder encoder, BufferedArguments next) {
        long offset = next.number(1);
        long bit = next.number(2);
        int last = fields - 1;
        if (last >= 0 && widths[last] < MAX_WIDTH && offsets[last] + widths[last] == offset) {
            values[last] = values[last] << 1 | bit;
            widths[last]++;
        } else {
            offsets[fields] = offset;
            values[fields] = bit;
            widths[fields++] = 1;
        }
    }

    @Override
    ReplySplitter finish(RequestEncoder encoder, BufferedArguments first) {
        encoder.begin(BITFIELD, 1);
        first.writeTo(encoder, 0, 1);
        for (int i = 0; i < fields; i++) {
            encoder.arg(SET, 0, SET.length);
            byte[] type = TYPES[widths[i]];
            encoder.arg(type, 0, type.length);
            encoder.arg(offsets[i]);
            encoder.arg(values[i]);
        }
        return new ReplySplitter.Bits(Arrays.copyOf(widths, fields));
    }

    private static byte[][] types() {
        byte[][] types = new byte[MAX_WIDTH + 1][];
        for (int width = 0; width <= MAX_WIDTH; width++) {
            types[width] = ("u" + width).getBytes(StandardCharsets.US_ASCII);
        }
        return types;
    }
}
