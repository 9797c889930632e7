// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.nio.charset.StandardCharsets;

/** Computes hash slots as the Redis Cluster specification defines them: CRC16 (XMODEM) of the key, modulo 16,384. */
final class HashSlot {

    private static final int SLOTS = 16_384;

    private HashSlot() {}

    /** Returns the hash slot of a key without a hash tag. */
    static int of(String untagged) {
        int crc = 0;
        for (byte next : untagged.getBytes(StandardCharsets.UTF_8)) {
            crc ^= (next & 0xFF) << 8;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 0x8000) == 0 ? crc << 1 : crc << 1 ^ 0x1021;
            }
        }
        return crc & (SLOTS - 1);
    }

    /** Returns the smallest positive number whose decimal text, used as a hash tag, belongs to {@code slot}. */
    static int smallestNumberIn(int slot) {
        return Numbers.BY_SLOT[slot];
    }

    /**
     * Contains the result of {@link #smallestNumberIn} for each hash slot. The table is computed on first use, because
     * few leases need a number as hash tag.
     */
    private static final class Numbers {

        private static final int[] BY_SLOT = bySlot();

        private static int[] bySlot() {
            int[] numbers = new int[SLOTS];
            int left = SLOTS;
            for (int number = 1; left > 0; number++) {
                int slot = of(Integer.toString(number));
                if (numbers[slot] == 0) {
                    numbers[slot] = number;
                    left--;
                }
            }
            return numbers;
        }
    }
}
