// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.resp.RequestEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * {@code SETBIT} on one key: {@code BITFIELD key SET u1 offset bit …}, where consecutive offsets are one field of up to 63 bits,
 * the first the highest, as in a string.
 */
final class BitRun extends Run {

    private static final byte[] BITFIELD = name("BITFIELD");
    private static final byte[] SET = "SET".getBytes(StandardCharsets.US_ASCII);

    /** A field without a sign has no more. */
    private static final int WIDEST = 63;

    private static final long LAST_OFFSET = (1L << 32) - 1;

    private static final byte[][] TYPES = types();

    // Of each field.
    private final long[] offsets = new long[MOST_COMMANDS];
    private final long[] values = new long[MOST_COMMANDS];
    private final byte[] widths = new byte[MOST_COMMANDS];
    private int fields;

    @Override
    boolean takes(HeldArguments arguments) {
        if (arguments.count() != 3) {
            return false;
        }
        long offset = arguments.number(1);
        long bit = arguments.number(2);
        return offset >= 0 && offset <= LAST_OFFSET && (bit == 0 || bit == 1);
    }

    @Override
    boolean joins(HeldArguments first, HeldArguments next) {
        return next.sameAt(0, first);
    }

    @Override
    void begin(RequestEncoder encoder, HeldArguments first) {
        fields = 0;
        add(encoder, first);
    }

    @Override
    void add(RequestEncoder encoder, HeldArguments next) {
        long offset = next.number(1);
        long bit = next.number(2);
        int last = fields - 1;
        if (last >= 0 && widths[last] < WIDEST && offsets[last] + widths[last] == offset) {
            values[last] = values[last] << 1 | bit;
            widths[last]++;
        } else {
            offsets[fields] = offset;
            values[fields] = bit;
            widths[fields++] = 1;
        }
    }

    @Override
    Split finish(RequestEncoder encoder, HeldArguments first) {
        encoder.begin(BITFIELD, 1);
        first.writeTo(encoder, 0, 1);
        for (int i = 0; i < fields; i++) {
            encoder.arg(SET, 0, SET.length);
            byte[] type = TYPES[widths[i]];
            encoder.arg(type, 0, type.length);
            encoder.arg(offsets[i]);
            encoder.arg(values[i]);
        }
        return new Split.Bits(Arrays.copyOf(widths, fields));
    }

    private static byte[][] types() {
        byte[][] types = new byte[WIDEST + 1][];
        for (int width = 0; width <= WIDEST; width++) {
            types[width] = ("u" + width).getBytes(StandardCharsets.US_ASCII);
        }
        return types;
    }
}
