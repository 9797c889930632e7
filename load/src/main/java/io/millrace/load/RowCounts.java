// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

/** The number of rows by outcome. Each row that was read is also in one of the other counts, or is still in flight. */
public record RowCounts(long read, long written, long rejected, long skipped, long unconfirmed) {

    /** These counts after the written rows were discarded again. */
    RowCounts discarded() {
        return new RowCounts(read, 0, rejected, skipped + written, unconfirmed);
    }

    /** The number of rows that were read and have no outcome yet. */
    public long inFlight() {
        return read - written - rejected - skipped - unconfirmed;
    }
}
