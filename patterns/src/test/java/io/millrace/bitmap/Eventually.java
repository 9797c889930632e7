// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Assertions;

/** Waiting for what nobody announces. */
final class Eventually {

    private static final long PATIENCE_NANOS = Duration.ofSeconds(20).toNanos();
    private static final long PAUSE_NANOS = 1_000_000;

    private Eventually() {}

    static void holds(String what, BooleanSupplier reached) {
        long giveUp = System.nanoTime() + PATIENCE_NANOS;
        while (!reached.getAsBoolean()) {
            if (System.nanoTime() - giveUp > 0) {
                Assertions.fail("waited in vain for this: " + what);
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }
}
