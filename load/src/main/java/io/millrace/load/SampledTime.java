// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import java.util.function.LongSupplier;

/**
 * Measures how the loading thread spends its time. Several clock reads for each row would distort the result, so rows
 * are measured in blocks of {@value #BLOCK}.
 *
 * <pre>
 *   block   | row | row | row | ...             the total time and the wait for the window are measured
 *             |
 *             read, map, send                   the first row is measured in detail
 * </pre>
 *
 * <p>Mapping takes about the same time for each row. So the mapping time of a block is estimated as {@value #BLOCK} times
 * the time of the first row.
 *
 * <p>Sending takes most of its time in few rows: the row that completes a fused command, and the row during which the
 * outcomes of thousands of earlier rows are collected. Each row is measured with the same probability, so the sum over
 * all blocks is right. The number of rows of a block is prime. So the first row of a block has no fixed place in a fused
 * command, or in another unit whose size is a power of two.
 *
 * <p>The rest of the time, without the wait for the window, counts as source time. So a wait for the source, which is
 * rare and long, is not multiplied: it counts once, no matter which row of the block waits. The sum of all parts is never
 * larger than the elapsed time.
 *
 * <p>Confined to the loading thread.
 */
final class SampledTime {

    private static final int BLOCK = 61;

    /** The longest time that sending a small row can take. A longer time includes a pause of the thread, which is rare. */
    private static final long LONGEST_SENDING_NANOS = 2_000_000;

    /** The longest time for each further byte of a row: 100 MB/s. */
    private static final long LONGEST_NANOS_PER_BYTE = 10;

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
    private long longestSending;

    /** Time of all blocks without the wait for the window. */
    private long busyNanos;

    private long mappingNanos;
    private long sendingNanos;

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

    /** Called when the row is rejected or counted, and not sent. */
    void mapped() {
        mapped(0);
    }

    /**
     * Called when the row is mapped to a command.
     *
     * @param rowBytes memory of the row
     */
    void mapped(long rowBytes) {
        if (sampling) {
            longestSending = LONGEST_SENDING_NANOS + rowBytes * LONGEST_NANOS_PER_BYTE;
            sampleMapping = lap();
            windowBefore = window.getAsLong();
        }
    }

    /** Called when the row is sent or rejected. */
    void ended() {
        if (sampling) {
            long sending = lap() - (window.getAsLong() - windowBefore);
            sampleSending = Math.clamp(sending, 0, longestSending);
            sampling = false;
        }
    }

    /** Ends the current block. */
    void finish() {
        if (rows == 0) {
            return;
        }
        long busy = Math.max(0, clock.getAsLong() - blockStart - (window.getAsLong() - blockWindow));
        busyNanos += busy;
        mappingNanos += Math.min(rows * sampleMapping, Math.max(0, busy - sampleSource));
        sendingNanos += rows * sampleSending;
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
        return Math.max(0, busyNanos - mappingNanos - sendingNanos) / 1e9;
    }

    double mappingSeconds() {
        return mappingNanos / 1e9;
    }
}
