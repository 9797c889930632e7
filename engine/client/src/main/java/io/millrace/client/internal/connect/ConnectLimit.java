// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** The time limit of one connection attempt. The time starts with the creation of this object. Thread-safe. */
final class ConnectLimit {

    private final LongSupplier clock;
    private final long nanos;
    private final long deadline;

    ConnectLimit(LongSupplier clock, long nanos) {
        this.clock = clock;
        this.nanos = nanos;
        this.deadline = clock.getAsLong() + nanos;
    }

    /** Returns a limit that starts now and ends after half of the time left. */
    ConnectLimit half() {
        return new ConnectLimit(clock, Math.max(0, nanosLeft() / 2));
    }

    /** The whole limit in milliseconds. */
    long millis() {
        return TimeUnit.NANOSECONDS.toMillis(nanos);
    }

    /** Returns the current time in nanoseconds, from the clock that measures this limit. */
    long now() {
        return clock.getAsLong();
    }

    /** Nanoseconds that remain; 0 or less if the limit has passed. */
    long nanosLeft() {
        return deadline - now();
    }

    /**
     * Returns the milliseconds left, 1 or more.
     *
     * @throws SocketTimeoutException if less than a millisecond is left
     */
    int millisLeft() throws SocketTimeoutException {
        long left = TimeUnit.NANOSECONDS.toMillis(nanosLeft());
        if (left <= 0) {
            throw new SocketTimeoutException("timed out");
        }
        return (int) left;
    }
}
