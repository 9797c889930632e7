// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmaps;

import java.util.SplittableRandom;
import java.util.stream.LongStream;

/** Where few ids lie in a wide range. */
enum Shape {

    /** Evenly, one of twenty thousand. */
    SPREAD("spread") {
        @Override
        long range(long count) {
            return 20_000 * count;
        }

        @Override
        long[] ids(long count) {
            return new SplittableRandom(SEED)
                    .longs(0, range(count))
                    .distinct()
                    .limit(count)
                    .sorted()
                    .toArray();
        }
    },

    /** Every second one of two thousand here and there below 2^40. */
    CLUSTERED("clustered") {
        @Override
        long range(long count) {
            return 1L << 40;
        }

        @Override
        long[] ids(long count) {
            return new SplittableRandom(SEED)
                    .longs(0, range(count) >>> 12)
                    .distinct()
                    .flatMap(place -> LongStream.range(0, CLUSTER).map(i -> (place << 12) + 2 * i))
                    .limit(count)
                    .sorted()
                    .toArray();
        }
    };

    private static final long SEED = 6;
    private static final int CLUSTER = 1_000;

    private final String word;

    Shape(String word) {
        this.word = word;
    }

    String word() {
        return word;
    }

    /** They are 0 to this, if there are {@code count}. */
    abstract long range(long count);

    /** So many different ids, ascending, the same ones each time. */
    abstract long[] ids(long count);
}
