// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import java.util.function.LongSupplier;

/**
 * Where the loading thread's time goes. Looking at the clock several times for each row would itself be what is measured, so
 * rows are taken 64 at a time.
 *
 * <pre>
 *   block   | row | row | row | ... 64 ...         its whole time is measured, and the part in it that waited for the window
 *             |
 *             read, map, send                      one row is measured in detail
 * </pre>
 *
 * <p>Mapping and sending are computing, which is alike from row to row: the block's share is 64 times the sample's. What is
 * left of the block is the source's, whose waits are rare and long, and are so counted once, in whichever row they fall. No
 * share is ever more than the block has, so all of them together are never more than the time that passed.
 *
 * <p>Belongs to the loading thread.
 */
final class SampledTime {

    private static final int BLOCK = 64;

    private final LongSupplier clock;
    /** Nanoseconds that were spent waiting for the window so far. */
    private final LongSupplier window;

    private int rows;
    private boolean sampling;
    private long blockStart;
    private long blockWindow;
    private long since;
    private long windowBefore;
    private long sampleSource;
    private long sampleMapping;
    private long sampleSending;

    private long sourceNanos;
    private long mappingNanos;

    SampledTime(LongSupplier clock, LongSupplier window) {
        this.clock = clock;
        this.window = window;
    }

    /** A row is about to be read. */
    void start() {
        if (rows == BLOCK) {
            finish();
        }
        if (rows++ == 0) {
            sampling = true;
            sampleSource = 0;
            sampleMapping = 0;
            sampleSending = 0;
            blockStart = clock.getAsLong();
            blockWindow = window.getAsLong();
            since = blockStart;
        }
    }

    /** The row has been read. */
    void read() {
        if (sampling) {
            sampleSource = lap();
        }
    }

    /** The row has been made a command, or rejected. */
    void mapped() {
        if (sampling) {
            sampleMapping = lap();
            windowBefore = window.getAsLong();
        }
    }

    /** The row is done with. */
    void ended() {
        if (sampling) {
            sampleSending = Math.max(0, lap() - (window.getAsLong() - windowBefore));
            sampling = false;
        }
    }

    /** No further row is read, or none for now. */
    void finish() {
        if (rows == 0) {
            return;
        }
        long left = Math.max(0, clock.getAsLong() - blockStart - (window.getAsLong() - blockWindow));
        long mapping = Math.min(rows * sampleMapping, Math.max(0, left - sampleSource));
        left -= mapping;
        long sending = Math.min(rows * sampleSending, Math.max(0, left - sampleSource));
        sourceNanos += left - sending;
        mappingNanos += mapping;
        rows = 0;
        sampling = false;
    }

    private long lap() {
        long now = clock.getAsLong();
        long nanos = now - since;
        since = now;
        return nanos;
    }

    double sourceSeconds() {
        return sourceNanos / 1e9;
    }

    double mappingSeconds() {
        return mappingNanos / 1e9;
    }
}
