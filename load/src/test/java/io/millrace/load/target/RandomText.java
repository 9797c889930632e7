// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import java.util.Random;

/** Random text with control characters, quotes, braces, Latin letters and supplementary characters. */
public final class RandomText {

    private RandomText() {}

    /** A text of 0 to 39 characters, and sometimes a text longer than all buffers. */
    public static String next(Random random) {
        int length = random.nextInt(500) == 0 ? 5_000 + random.nextInt(10_000) : random.nextInt(40);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.appendCodePoint(character(random));
        }
        return text.toString();
    }

    private static int character(Random random) {
        return switch (random.nextInt(6)) {
            case 0 -> random.nextInt(0x20);
            case 1 -> "{}\"\\/\u007f\u2028\ufeff\ufffd".charAt(random.nextInt(9));
            case 2 -> 0x80 + random.nextInt(0x700);
            case 3 -> 0xe000 + random.nextInt(0x1ffe);
            case 4 -> 0x10000 + random.nextInt(0x100000);
            default -> 0x20 + random.nextInt(0x5f);
        };
    }
}
