// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

/**
 * What became of the entries of a warm-up. Its constructor refuses numbers that do not add up.
 *
 * @param read entries that the iterator gave
 * @param written those that Redis has taken
 * @param rejected those that the server refused or the codec could not write
 * @param unconfirmed those whose reply did not come: they may be written
 * @param notSent those that certainly are not written, because the connection was lost or there was no room
 * @param firstFailure why the first of those that were not written was not; empty if all were
 */
public record WarmUpAccount(
        long read, long written, long rejected, long unconfirmed, long notSent, String firstFailure) {

    public WarmUpAccount {
        if (read != written + rejected + unconfirmed + notSent) {
            throw new IllegalArgumentException("entries do not add up: read=" + read + ", written=" + written
                    + ", rejected=" + rejected + ", unconfirmed=" + unconfirmed + ", notSent=" + notSent);
        }
    }

    /** Whether every entry is known to be written. */
    public boolean complete() {
        return written == read;
    }
}
