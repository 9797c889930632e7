// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Assertions;

/** Polls a condition until it is true. */
final class Eventually {

    private static final long TIMEOUT_NANOS = Duration.ofSeconds(90).toNanos();
    private static final long POLL_NANOS = 1_000_000;

    private Eventually() {}

    static void holds(String condition, BooleanSupplier test) {
        long deadline = System.nanoTime() + TIMEOUT_NANOS;
        while (!test.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                Assertions.fail("a condition was not true within 90 s: " + condition);
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }
}
