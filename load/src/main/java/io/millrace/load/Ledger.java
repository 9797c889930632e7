// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The counts of rows by outcome. Only the loading thread writes, because this thread receives all outcomes. Any thread
 * may read.
 */
final class Ledger {

    private final AtomicLong read = new AtomicLong();
    private final AtomicLong written = new AtomicLong();
    private final AtomicLong rejected = new AtomicLong();
    private final AtomicLong skipped = new AtomicLong();
    private final AtomicLong unconfirmed = new AtomicLong();

    void read() {
        add(read);
    }

    void written() {
        add(written);
    }

    /** Counts a rejected row, and returns the number of rejected rows including this row. */
    long rejected() {
        add(rejected);
        return rejected.getPlain();
    }

    void skipped() {
        add(skipped);
    }

    void unconfirmed() {
        add(unconfirmed);
    }

    /**
     * The current counts. A row whose outcome is being counted may still count as in flight. The sum of the outcomes is
     * never larger than the number of rows read.
     */
    RowCounts counts() {
        long writtenNow = written.get();
        long rejectedNow = rejected.get();
        long skippedNow = skipped.get();
        long unconfirmedNow = unconfirmed.get();
        return new RowCounts(read.get(), writtenNow, rejectedNow, skippedNow, unconfirmedNow);
    }

    private static void add(AtomicLong count) {
        count.lazySet(count.getPlain() + 1);
    }
}
