// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Counts of tasks that one thread makes and any thread may read. */
final class Tally {

    private static final VarHandle COUNTS = MethodHandles.arrayElementVarHandle(long[].class);

    /** In the middle of an array: on cache lines that no other thread writes to. */
    private static final int FIRST = 8;

    enum What {
        PRODUCED(0),
        SUCCEEDED(1),
        FAILED(2),
        TIMED_OUT(3),
        CANCELLED(4),
        RETRIES(5);

        private final int place;

        What(int place) {
            this.place = FIRST + place;
        }
    }

    private final long[] counts = new long[3 * FIRST];

    /** Called by the owner alone. */
    void add(What what, long more) {
        COUNTS.setRelease(counts, what.place, counts[what.place] + more);
    }

    long get(What what) {
        return (long) COUNTS.getAcquire(counts, what.place);
    }
}
