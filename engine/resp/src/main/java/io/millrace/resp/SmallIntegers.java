// SPDX-License-Identifier: Apache-2.0
package io.millrace.resp;

/** Cache of frequent integer replies. */
final class SmallIntegers {

    private static final int MIN = -2;
    private static final int MAX = 255;
    private static final Reply.IntegerReply[] CACHE = new Reply.IntegerReply[MAX - MIN + 1];

    static {
        for (int i = 0; i < CACHE.length; i++) {
            CACHE[i] = new Reply.IntegerReply(i + MIN);
        }
    }

    private SmallIntegers() {}

    static Reply.IntegerReply of(long value) {
        return value >= MIN && value <= MAX ? CACHE[(int) value - MIN] : new Reply.IntegerReply(value);
    }
}
