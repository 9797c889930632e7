// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/**
 * Statistics of command fusion.
 *
 * @param fusedBatches number of fused commands sent, each in place of two or more commands
 * @param commands number of commands that the fused commands replaced; a command that was sent again is counted again
 */
public record FusionCounts(long fusedBatches, long commands) {

    /** All counts are zero. */
    public static final FusionCounts NONE = new FusionCounts(0, 0);

    /** Returns the sum of these counts and the counts of {@code other}. */
    public FusionCounts plus(FusionCounts other) {
        return new FusionCounts(fusedBatches + other.fusedBatches, commands + other.commands);
    }
}
