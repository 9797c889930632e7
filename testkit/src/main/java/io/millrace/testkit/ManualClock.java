// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A clock in nanoseconds that stands still until a test advances it. Tests inject it instead of {@link
 * System#nanoTime}.
 *
 * <p>As with {@code nanoTime}, only differences have a meaning: the clock starts at an arbitrary number, which may be
 * negative, and may wrap around. Any thread may read and advance it. Actions before an advance happen-before a read of
 * the new time.
 */
public final class ManualClock implements LongSupplier {

    private final AtomicLong nanos;

    /**
     * A clock that wraps around after one second. It exposes code that compares times with {@code <} instead of by
     * difference.
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
            throw new IllegalArgumentException("the clock cannot go back: by=" + by);
        }
        nanos.addAndGet(by.toNanos());
    }
}
