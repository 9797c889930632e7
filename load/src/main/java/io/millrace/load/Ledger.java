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

    /** Number of written rows that a failover may have taken back. They count as unconfirmed. */
    private final AtomicLong takenBack = new AtomicLong();

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

    /** Counts {@code rows} written rows as unconfirmed, because a failover may have taken them back. */
    void takenBack(long rows) {
        takenBack.lazySet(takenBack.getPlain() + rows);
    }

    /** Number of rows that a failover may have taken back. */
    long takenBack() {
        return takenBack.get();
    }

    /**
     * The current counts. A row whose outcome is being counted may still count as in flight. The sum of the outcomes is
     * never larger than the number of rows read.
     */
    RowCounts counts() {
        // Read this count first: its rows were counted as written before.
        long takenBackNow = takenBack.get();
        long writtenNow = written.get() - takenBackNow;
        long rejectedNow = rejected.get();
        long skippedNow = skipped.get();
        long unconfirmedNow = unconfirmed.get() + takenBackNow;
        return new RowCounts(read.get(), writtenNow, rejectedNow, skippedNow, unconfirmedNow);
    }

    private static void add(AtomicLong count) {
        count.lazySet(count.getPlain() + 1);
    }
}
