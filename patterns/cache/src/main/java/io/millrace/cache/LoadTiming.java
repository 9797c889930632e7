// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.time.Duration;

/** Computes the deadline and the pauses of loads, and checks the freshness of entries. Thread-safe. */
final class LoadTiming {

    private final ClockAndRandom clockAndRandom;
    private final long limitNanos;

    /** @param limit maximum time that a load waits for a permit or for another process */
    LoadTiming(ClockAndRandom clockAndRandom, Duration limit) {
        this.clockAndRandom = clockAndRandom;
        this.limitNanos = limit.toNanos();
    }

    /** Returns the maximum waiting time in nanoseconds. */
    long limitNanos() {
        return limitNanos;
    }

    /** Returns the deadline of a wait that begins now and lasts for {@code nanos}, in nanoseconds of the clock. */
    long deadline(long nanos) {
        return nanos() + nanos;
    }

    /** Returns the nanoseconds until the deadline. */
    long nanosLeft(long deadline) {
        return deadline - nanos();
    }

    /**
     * Returns a random pause between one half and the whole of {@code pause}, so that waiting loads do not all read
     * Redis at the same moment.
     */
    long jittered(long pause) {
        return pause / 2 + clockAndRandom.random().nextLong(pause / 2);
    }

    /** Whether {@code entry} answers the load, so that the loader need not be called. */
    <V> boolean isAnswered(Load<V> load, Entry<V> entry) {
        long now = clockAndRandom.epochMillis().getAsLong();
        boolean old = load.background ? entry.isRefreshDue(now) : entry.isStale(now);
        return load.request.isAnsweredBy(entry) && !old;
    }

    private long nanos() {
        return clockAndRandom.nanos().getAsLong();
    }
}
