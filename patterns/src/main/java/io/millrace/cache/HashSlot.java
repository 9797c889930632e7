// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.nio.charset.StandardCharsets;

/** The parts of a cluster, as its specification has them: a key without a hash tag is in the one that its CRC16 (XMODEM) says. */
final class HashSlot {

    private static final int SLOTS = 16_384;

    private HashSlot() {}

    /** Where {@code untagged} is, a key without a hash tag. */
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

    /** The smallest number that is in {@code slot} when it is a hash tag. */
    static int numberIn(int slot) {
        return Numbers.BY_SLOT[slot];
    }

    /** Found when they are first needed, which is hardly ever. */
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
