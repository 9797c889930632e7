// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

/**
 * The outcomes of the entries of a warm-up. The constructor rejects counts whose sum is not {@code read}.
 *
 * @param read entries read from the iterator
 * @param written entries that Redis confirmed
 * @param rejected entries that the server refused or the codec could not encode
 * @param unconfirmed entries without a reply; they may be written
 * @param notSent entries that are certainly not written, because the connection was lost or no permit was free in time
 * @param firstFailure reason of the first failure; empty if all entries were written
 */
public record WarmUpStats(long read, long written, long rejected, long unconfirmed, long notSent, String firstFailure) {

    public WarmUpStats {
        if (read != written + rejected + unconfirmed + notSent) {
            throw new IllegalArgumentException("inconsistent warm-up stats: read=" + read + ", written=" + written
                    + ", rejected=" + rejected + ", unconfirmed=" + unconfirmed + ", notSent=" + notSent);
        }
    }

    /** Whether Redis confirmed every entry. */
    public boolean isComplete() {
        return written == read;
    }
}
