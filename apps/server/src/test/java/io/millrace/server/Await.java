// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for a condition. */
final class Await {

    /** Long, because a machine may be busy. */
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private Await() {}

    /** Looks every two milliseconds. {@code what} names the condition if it does not become true. */
    static void until(String what, BooleanSupplier condition) {
        long giveUp = System.nanoTime() + TIMEOUT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - giveUp >= 0) {
                throw new AssertionError("not reached within " + TIMEOUT.toSeconds() + " s: " + what);
            }
            LockSupport.parkNanos(2_000_000);
        }
    }
}
