// SPDX-License-Identifier: Apache-2.0
package io.millrace.resp;

/** Integer replies that come all the time, made once. */
final class SmallIntegers {

    private static final int LEAST = -2;
    private static final int MOST = 255;
    private static final Reply.IntegerReply[] MADE = new Reply.IntegerReply[MOST - LEAST + 1];

    static {
        for (int i = 0; i < MADE.length; i++) {
            MADE[i] = new Reply.IntegerReply(i + LEAST);
        }
    }

    private SmallIntegers() {}

    static Reply.IntegerReply of(long value) {
        return value >= LEAST && value <= MOST ? MADE[(int) value - LEAST] : new Reply.IntegerReply(value);
    }
}
