// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/**
 * How much was fused.
 *
 * @param runs commands that the server got in place of several
 * @param commands these were made of, two or more each; those that had to be sent again count again
 */
public record FusionCounts(long runs, long commands) {

    /** Nothing. */
    public static final FusionCounts NONE = new FusionCounts(0, 0);

    /** The sums of both. */
    public FusionCounts plus(FusionCounts other) {
        return new FusionCounts(runs + other.runs, commands + other.commands);
    }
}
