// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Counters that one thread writes and any thread may read. */
final class Counters {

    private static final VarHandle COUNTS = MethodHandles.arrayElementVarHandle(long[].class);

    /**
     * Index of the first counter. The counters are in the middle of the array, so that no other thread writes to their
     * cache lines.
     */
    private static final int FIRST = 8;

    enum Counter {
        PRODUCED(0),
        SUCCEEDED(1),
        FAILED(2),
        TIMED_OUT(3),
        CANCELLED(4),
        RETRIES(5);

        private final int index;

        Counter(int index) {
            this.index = FIRST + index;
        }
    }

    private final long[] counts = new long[3 * FIRST];

    /** Called by the owner only. */
    void add(Counter what, long more) {
        COUNTS.setRelease(counts, what.index, counts[what.index] + more);
    }

    long get(Counter what) {
        return (long) COUNTS.getAcquire(counts, what.index);
    }
}
