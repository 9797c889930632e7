// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for a condition by polling. */
final class Polling {

    private static final long PAUSE_NANOS = 1_000_000;

    private Polling() {}

    /**
     * Checks every millisecond, and at least once, until {@code reached} is true or {@code timeout} has passed. Returns
     * whether the condition was reached.
     */
    static boolean until(BooleanSupplier reached, Duration timeout) {
        long giveUp = System.nanoTime() + timeout.toNanos();
        while (!reached.getAsBoolean()) {
            if (System.nanoTime() - giveUp >= 0) {
                return false;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return true;
    }
}
