// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A clock in nanoseconds that stands still until a test advances it, to be injected in the place of {@link System#nanoTime}.
 *
 * <p>Like {@code nanoTime}, only differences mean something: it starts at an arbitrary number, which may be negative, and may
 * wrap around. Any thread may read and advance it; what happened before an advance is visible to who reads the new time.
 */
public final class ManualClock implements LongSupplier {

    private final AtomicLong nanos;

    /** A clock that wraps around after one second: code that compares times with {@code <} instead of by difference is found. */
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

    /** Lets {@code by}, 0 or more, go by. */
    public void advance(Duration by) {
        if (by.isNegative()) {
            throw new IllegalArgumentException("time does not go back: by=" + by);
        }
        nanos.addAndGet(by.toNanos());
    }
}
