// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/**
 * The account of one connection.
 *
 * @param open whether it works at this moment
 * @param counts of all its commands, over every reconnection
 * @param inFlight places of the window that are taken: a command has one until its reply is there, even if it has timed out
 * @param bytesInFlight theirs
 * @param lateReplies replies to commands whose outcome had been decided before
 * @param reconnections how often it was lost and replaced
 * @param fusion how many of the commands went out as part of another
 */
public record ConnectionAccount(
        String name,
        Kind kind,
        boolean open,
        CommandCounts counts,
        int inFlight,
        long bytesInFlight,
        long lateReplies,
        long reconnections,
        FusionCounts fusion) {

    /** What a connection is for. */
    public enum Kind {
        /** The commands of all callers. */
        SHARED,
        /** One borrower at a time. */
        DEDICATED,
        /** A bulk writer. */
        BULK
    }
}
