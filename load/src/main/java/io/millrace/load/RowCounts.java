// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

/**
 * What became of the rows so far: a row that has been read is in one of the other counts, or still in flight.
 */
public record RowCounts(long read, long written, long rejected, long skipped, long unconfirmed) {

    /** Rows that were read and whose fate is not known yet. */
    public long inFlight() {
        return read - written - rejected - skipped - unconfirmed;
    }
}
