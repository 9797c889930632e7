// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

/** Number of lost wires over which each command of a batch was sent. Not thread-safe. */
final class LostWireCounts {

    /** Empty as long as no wire was lost. Each number is at most {@link Loss#MAX_RESENDS}. */
    private byte[] counts = {};

    int of(int index) {
        return counts.length == 0 ? 0 : counts[index];
    }

    /** Adds one to the number of the command at {@code index}, and returns the number. The batch has {@code commands}. */
    int increment(int index, int commands) {
        if (counts.length == 0) {
            counts = new byte[commands];
        }
        return ++counts[index];
    }
}
