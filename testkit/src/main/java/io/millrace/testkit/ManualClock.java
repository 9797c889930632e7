// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A clock that stands still until a test advances it. Its unit is nanoseconds. Tests use it in place of {@link
 * System#nanoTime}.
 *
 * <p>As with {@code nanoTime}, only the difference of two times has a meaning. The clock may start with a negative
 * number, and its value may overflow from {@link Long#MAX_VALUE} to {@link Long#MIN_VALUE}. Any thread may read or
 * advance the clock. The actions of a thread before it advances the clock happen-before a read of the new time.
 */
public final class ManualClock implements LongSupplier {

    private final AtomicLong nanos;

    /**
     * A clock whose value overflows to a negative number after one second. A test with this clock finds code that
     * compares two times with {@code <} where it must compare their difference with 0.
     */
    public ManualClock() {
        this(Long.MAX_VALUE - Duration.ofSeconds(1).toNanos());
    }

    /** A clock that starts at {@code startNanos}. */
    public ManualClock(long startNanos) {
        this.nanos = new AtomicLong(startNanos);
    }

    @Override
    public long getAsLong() {
        return nanos.get();
    }

    /** Advances the clock by {@code by}, 0 or more. */
    public void advance(Duration by) {
        if (by.isNegative()) {
            throw new IllegalArgumentException("a clock cannot be advanced by a negative duration: by=" + by);
        }
        nanos.addAndGet(by.toNanos());
    }
}
