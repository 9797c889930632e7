// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The CRC-64 of Redis: the polynomial of Jones, reflected, with an initial value of 0. The tables hold the effect of
 * each byte at eight positions, so the method handles eight bytes at a time.
 */
final class Crc64 {

    private static final long POLYNOMIAL = 0x95ac9329ac4bc9b5L;

    private static final int POSITIONS = 8;

    private static final VarHandle LITTLE_ENDIAN_LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** The value for byte {@code b} that is followed by {@code p} bytes of 0 is at {@code 256 * p + b}. */
    private static final long[] TABLES = tables();

    private Crc64() {}

    /** The CRC of {@code length} bytes from {@code offset}. */
    static long of(byte[] bytes, int offset, int length) {
        long crc = 0;
        int at = offset;
        int end = offset + length;
        for (; end - at >= POSITIONS; at += POSITIONS) {
            long word = crc ^ (long) LITTLE_ENDIAN_LONG.get(bytes, at);
            crc = TABLES[0x700 + (((int) word) & 0xff)]
                    ^ TABLES[0x600 + (((int) (word >>> 8)) & 0xff)]
                    ^ TABLES[0x500 + (((int) (word >>> 16)) & 0xff)]
                    ^ TABLES[0x400 + (((int) (word >>> 24)) & 0xff)]
                    ^ TABLES[0x300 + (((int) (word >>> 32)) & 0xff)]
                    ^ TABLES[0x200 + (((int) (word >>> 40)) & 0xff)]
                    ^ TABLES[0x100 + (((int) (word >>> 48)) & 0xff)]
                    ^ TABLES[(int) (word >>> 56)];
        }
        for (; at < end; at++) {
            crc = TABLES[((int) crc ^ bytes[at]) & 0xff] ^ (crc >>> 8);
        }
        return crc;
    }

    private static long[] tables() {
        long[] tables = new long[POSITIONS * 256];
        for (int b = 0; b < 256; b++) {
            long crc = b;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 1) == 0 ? crc >>> 1 : (crc >>> 1) ^ POLYNOMIAL;
            }
            tables[b] = crc;
        }
        for (int i = 256; i < tables.length; i++) {
            long before = tables[i - 256];
            tables[i] = tables[(int) before & 0xff] ^ (before >>> 8);
        }
        return tables;
    }
}
