// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for a condition by polling. */
public final class Polling {

    private static final Duration PAUSE = Duration.ofMillis(1);

    private Polling() {}

    /**
     * Evaluates {@code reached} every millisecond until it returns true or {@code timeout} has passed, but at least
     * once. Returns whether {@code reached} has returned true.
     */
    public static boolean until(BooleanSupplier reached, Duration timeout) {
        return until(reached, PAUSE, timeout);
    }

    /** As {@link #until(BooleanSupplier, Duration)}, with a pause of this length between two evaluations. */
    public static boolean until(BooleanSupplier reached, Duration pause, Duration timeout) {
        long giveUp = System.nanoTime() + timeout.toNanos();
        while (!reached.getAsBoolean()) {
            if (System.nanoTime() - giveUp >= 0) {
                return false;
            }
            LockSupport.parkNanos(pause.toNanos());
        }
        return true;
    }
}
