// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.network;

/**
 * How much a proxy holds before it stops reading, which TCP then passes on to the sender. What is held is charged with
 * {@link DelayLine#OVERHEAD_BYTES} for each piece, so small pieces count for what they take.
 *
 * <p>To keep {@code n} bytes a second flowing, a direction has to hold {@code n} times its delay.
 *
 * @param directionBytes for one direction of one connection; {@link #LEAST_DIRECTION_BYTES} to {@code allBytes}
 * @param allBytes for all connections together. Beyond it, a direction that holds nothing may still take
 *     {@link DelayLine#FLOOR_BYTES}, so that none waits for another for ever
 */
public record Limits(long directionBytes, long allBytes) {

    /** Four reads of the least size, so that reading and delivering can overlap. */
    public static final long LEAST_DIRECTION_BYTES = 4 * DelayLine.FLOOR_BYTES;

    /**
     * 200 MB/s, more than a server takes over one connection, times the 80 ms of half the longest round trip in the
     * experiments.
     */
    public static final long DIRECTION_BYTES = 16L << 20;

    /**
     * Four directions at their limit, or 1,000 connections with a window of 64 KiB each; a quarter of a heap of 256 MB.
     */
    public static final long ALL_BYTES = 64L << 20;

    /** {@link #DIRECTION_BYTES} and {@link #ALL_BYTES}. */
    public static final Limits STANDARD = new Limits(DIRECTION_BYTES, ALL_BYTES);

    public Limits {
        if (directionBytes < LEAST_DIRECTION_BYTES || directionBytes > allBytes) {
            throw new IllegalArgumentException("directionBytes must be " + LEAST_DIRECTION_BYTES
                    + " to allBytes: directionBytes=" + directionBytes + ", allBytes=" + allBytes);
        }
    }
}
