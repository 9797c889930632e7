// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts what became of rows. Written by the loading thread alone, which is also the one that learns of outcomes; read by
 * any.
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

    /** Returns how many have been rejected with this one. */
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

    /** The counts at this moment. A row that ends meanwhile may show as still in flight, never as ended before it was read. */
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
