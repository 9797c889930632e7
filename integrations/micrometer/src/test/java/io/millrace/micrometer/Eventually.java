// SPDX-License-Identifier: Apache-2.0
package io.millrace.micrometer;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.Assertions;

/** Waits for a value by polling. */
final class Eventually {

    private static final long TIMEOUT_NANOS = Duration.ofSeconds(60).toNanos();
    private static final long PAUSE_NANOS = 1_000_000;

    private Eventually() {}

    static <T> void is(String description, T expected, Supplier<T> poll) {
        long deadline = System.nanoTime() + TIMEOUT_NANOS;
        for (T seen = poll.get(); !seen.equals(expected); seen = poll.get()) {
            if (System.nanoTime() - deadline > 0) {
                Assertions.fail("not in time: " + description + ", expected=" + expected + ", value=" + seen);
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }
}
