// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.util.concurrent.TimeUnit;

/**
 * An estimate of the clock of the server. A worker uses the estimate only to know when to run a script; the script then
 * decides by the clock of the server. So the estimate takes the later one of two clocks of this machine: an early script
 * changes nothing. Thread-safe.
 */
final class ServerClock {

    /** The clock of the server minus {@code System.nanoTime()}, in ms. */
    private volatile long afterNanoClock;

    /** The clock of the server minus {@code System.currentTimeMillis()}, in ms. */
    private volatile long afterWallClock;

    /** Creates an estimate that is the clock of this machine until the first call of {@link #read}. */
    ServerClock() {
        read(System.currentTimeMillis(), System.nanoTime(), System.currentTimeMillis());
    }

    /**
     * Records the time of the server.
     *
     * @param serverMillis the time that the server replied
     * @param sentNanos the time of {@code System.nanoTime()} when the command was sent
     * @param sentMillis the time of {@code System.currentTimeMillis()} when the command was sent
     */
    void read(long serverMillis, long sentNanos, long sentMillis) {
        afterNanoClock = serverMillis - TimeUnit.NANOSECONDS.toMillis(sentNanos);
        afterWallClock = serverMillis - sentMillis;
    }

    /** Returns the latest time that the server's clock may show, in ms since 1970. */
    long latestMillis() {
        return Math.max(
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime()) + afterNanoClock,
                System.currentTimeMillis() + afterWallClock);
    }
}
