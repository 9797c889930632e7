// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.util.function.LongPredicate;

/** A bit source that computes each bit with a predicate. */
record PredicateBits(LongPredicate test) implements BitSource {

    @Override
    public long word(long index) {
        return word(index, Long.SIZE);
    }

    @Override
    public long word(long index, int count) {
        long word = 0;
        long first = index << 6;
        for (long offset = first; offset < first + count; offset++) {
            word = word << 1 | (test.test(offset) ? 1 : 0);
        }
        return word << (Long.SIZE - count);
    }
}
