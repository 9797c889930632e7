// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.junit.jupiter.api.Assertions;

/** Waits for a condition by polling. A timeout fails the test with the last value. */
final class Eventually {

    private static final long TIMEOUT_NANOS = Duration.ofSeconds(90).toNanos();
    private static final long PAUSE_NANOS = 1_000_000;

    private Eventually() {}

    /** Polls until the value equals {@code expected}. */
    static <T> void is(String description, T expected, Supplier<? extends T> poll) {
        holds(description + ", expected=" + expected, poll, expected::equals);
    }

    /** Polls until the value satisfies {@code condition}. */
    static <T> void holds(String description, Supplier<T> poll, Predicate<? super T> condition) {
        long deadline = System.nanoTime() + TIMEOUT_NANOS;
        while (true) {
            T seen = poll.get();
            if (condition.test(seen)) {
                return;
            }
            if (System.nanoTime() - deadline > 0) {
                Assertions.fail("condition not reached in time: " + description + ", value=" + seen);
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }
}
