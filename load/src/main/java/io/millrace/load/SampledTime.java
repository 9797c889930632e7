// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import java.util.function.LongSupplier;

/**
 * Measures how the loading thread spends its time. Several clock reads for each row would distort the result, so rows
 * are measured in blocks of 64.
 *
 * <pre>
 *   block   | row | row | row | ... 64 ...         the total time and the wait for the window are measured
 *             |
 *             read, map, send                      the first row is measured in detail
 * </pre>
 *
 * <p>Mapping and sending are computation and take about the same time for each row. So their estimate for a block is 64
 * times the time of the first row. The rest of the time of the block, without the wait for the window, counts as source
 * time. So a wait for the source, which is rare and long, is not multiplied by 64: it counts once, no matter which row
 * of the block waits. No estimate is larger than the time of the block, so the sum of all parts is never larger than
 * the elapsed time.
 *
 * <p>Confined to the loading thread.
 */
final class SampledTime {

    private static final int BLOCK = 64;

    private final LongSupplier clock;
    /** Returns the total time in nanoseconds that the loading thread has waited for the window. */
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

    /** Called before a row is read. */
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

    /** Called when the row is read. */
    void read() {
        if (sampling) {
            sampleSource = lap();
        }
    }

    /** Called when the row is mapped to a command or rejected. */
    void mapped() {
        if (sampling) {
            sampleMapping = lap();
            windowBefore = window.getAsLong();
        }
    }

    /** Called when the row is sent or rejected. */
    void ended() {
        if (sampling) {
            sampleSending = Math.max(0, lap() - (window.getAsLong() - windowBefore));
            sampling = false;
        }
    }

    /** Ends the current block. */
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
