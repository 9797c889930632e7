// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.assertj.core.api.Assertions;

/** Waits for a condition by polling. */
final class Eventually {

    private static final long PAUSE_NANOS = 1_000_000;
    private static final long STABLE_NANOS = 300_000_000;

    private Eventually() {}

    /** Waits until {@code value} is positive and has not changed for 300 ms. */
    static void awaitStable(String name, LongSupplier value) {
        long[] last = {value.getAsLong()};
        long[] changed = {System.nanoTime()};
        await(name + " no longer changes", () -> {
            long now = value.getAsLong();
            if (now != last[0] || now <= 0) {
                last[0] = now;
                changed[0] = System.nanoTime();
            }
            return System.nanoTime() - changed[0] > STABLE_NANOS;
        });
    }

    /**
     * Checks {@code reached} every millisecond until it returns true. The test fails after
     * {@link WatchedClients#TIMEOUT}.
     */
    static void await(String condition, BooleanSupplier reached) {
        long until = System.nanoTime() + WatchedClients.TIMEOUT.toNanos();
        while (!reached.getAsBoolean()) {
            if (System.nanoTime() - until > 0) {
                Assertions.fail("timed out waiting for: " + condition);
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }
}
