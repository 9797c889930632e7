// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waiting for what nobody announces. */
final class Polling {

    private static final long PAUSE_NANOS = 1_000_000;

    private Polling() {}

    /** Looks every millisecond until {@code reached} or for {@code patience}, and at least once; says whether it was reached. */
    static boolean until(BooleanSupplier reached, Duration patience) {
        long giveUp = System.nanoTime() + patience.toNanos();
        while (!reached.getAsBoolean()) {
            if (System.nanoTime() - giveUp >= 0) {
                return false;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return true;
    }
}
