// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Limits the rows that a load reads per second. Each row has a time, and the load waits for this time before it reads
 * the row. After a pause of the source or the server, the load may catch up at most one second. Confined to the loading
 * thread.
 */
final class RowRate {

    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Shorter waits are not worth a pause: the operating system would make them longer. */
    private static final long MIN_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Longest wait before the load looks for a stop. */
    private static final long MAX_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final OptionalLong rowsPerSecond;
    private final BooleanSupplier stopped;
    private final LongSupplier clock;
    private final LongConsumer pause;
    private final long begin;

    /** Number of rows since {@link #windowBegin}. */
    private long rows;

    /** Nanoseconds from {@link #begin} to the time of the first row of the window. */
    private long windowBegin;

    /**
     * Creates a limit.
     *
     * @param rowsPerSecond empty for no limit
     * @param stopped whether the load is stopped
     * @param clock nanoseconds, as of {@link System#nanoTime}
     * @param pause waits for a number of nanoseconds, or for a shorter time
     */
    RowRate(OptionalLong rowsPerSecond, BooleanSupplier stopped, LongSupplier clock, LongConsumer pause) {
        this.rowsPerSecond = rowsPerSecond;
        this.stopped = stopped;
        this.clock = clock;
        this.pause = pause;
        this.begin = clock.getAsLong();
    }

    static RowRate of(OptionalLong rowsPerSecond, CancelSignal stop) {
        return new RowRate(rowsPerSecond, () -> isStopped(stop), System::nanoTime, LockSupport::parkNanos);
    }

    private static boolean isStopped(CancelSignal stop) {
        if (Thread.currentThread().isInterrupted()) {
            stop.interrupt();
        }
        return stop.isRaised();
    }

    /** Waits for the time of the next row. Returns true if the load was stopped during the wait. */
    boolean isStoppedBeforeNextRow() {
        if (rowsPerSecond.isEmpty()) {
            return false;
        }
        long perSecond = rowsPerSecond.getAsLong();
        for (long early = nanosUntilNextRow(perSecond);
                early >= MIN_PAUSE_NANOS;
                early = nanosUntilNextRow(perSecond)) {
            if (stopped.getAsBoolean()) {
                return true;
            }
            pause.accept(Math.min(early, MAX_PAUSE_NANOS));
        }
        if (++rows == perSecond) {
            windowBegin += SECOND_NANOS;
            rows = 0;
        }
        return false;
    }

    private long nanosUntilNextRow(long perSecond) {
        long now = clock.getAsLong() - begin;
        long due = windowBegin + (long) ((double) rows / perSecond * SECOND_NANOS);
        if (now - due > SECOND_NANOS) {
            // The load does not catch up more than one second.
            windowBegin += now - due - SECOND_NANOS;
        }
        return due - now;
    }
}
