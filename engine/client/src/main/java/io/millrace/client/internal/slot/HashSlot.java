// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.slot;

import java.nio.charset.StandardCharsets;

/**
 * Computes hash slots. The public class {@code KeySlot} describes the rules. This class is in a separate package,
 * because the package of {@code KeySlot} depends on the package of commands, and commands need hash slots too.
 */
public final class HashSlot {

    /** Number of hash slots of a cluster. A power of two. */
    public static final int COUNT = 16_384;

    /** The generator polynomial of CRC-16/XMODEM, without its highest term. */
    private static final int POLYNOMIAL = 0x1021;

    /** The CRC of each single byte. A {@code char} is an unsigned number of 16 bits. */
    private static final char[] TABLE = table();

    private static final int MAX_ASCII = 0x7f;

    private HashSlot() {}

    /** Returns the hash slot of a whole array. */
    public static int of(byte[] key) {
        return of(key, 0, key.length);
    }

    /** Returns the hash slot of {@code length} bytes from {@code offset} on. Does not check the range. */
    public static int of(byte[] key, int offset, int length) {
        int end = offset + length;
        int open = indexOf('{', key, offset, end);
        if (open < end) {
            int close = indexOf('}', key, open + 1, end);
            if (close < end && close > open + 1) {
                return slot(key, open + 1, close);
            }
        }
        return slot(key, offset, end);
    }

    /** Returns the hash slot of {@code key} in UTF-8. Allocates memory only if the hashed part is not ASCII. */
    public static int of(String key) {
        int open = key.indexOf('{');
        int close = open < 0 ? -1 : key.indexOf('}', open + 1);
        boolean tagged = close > open + 1;
        int from = tagged ? open + 1 : 0;
        int to = tagged ? close : key.length();
        int crc = 0;
        for (int i = from; i < to; i++) {
            char c = key.charAt(i);
            if (c > MAX_ASCII) {
                byte[] utf8 = key.substring(from, to).getBytes(StandardCharsets.UTF_8);
                return slot(utf8, 0, utf8.length);
            }
            crc = next(crc, c);
        }
        return crc & (COUNT - 1);
    }

    /** Returns the index of the first byte {@code wanted}; {@code end} if there is none. */
    private static int indexOf(char wanted, byte[] bytes, int from, int end) {
        int at = from;
        while (at < end && bytes[at] != wanted) {
            at++;
        }
        return at;
    }

    private static int slot(byte[] bytes, int from, int end) {
        int crc = 0;
        for (int i = from; i < end; i++) {
            crc = next(crc, bytes[i]);
        }
        return crc & (COUNT - 1);
    }

    /** Returns the CRC after one more byte. Only the lowest eight bits of {@code value} count. */
    private static int next(int crc, int value) {
        return ((crc << 8) ^ TABLE[((crc >>> 8) ^ value) & 0xff]) & 0xffff;
    }

    private static char[] table() {
        char[] table = new char[256];
        for (int value = 0; value < table.length; value++) {
            int crc = value << 8;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 0x8000) == 0 ? crc << 1 : (crc << 1) ^ POLYNOMIAL;
            }
            table[value] = (char) crc;
        }
        return table;
    }
}
