// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.assertj.core.api.Assertions;

/** Waiting for what nobody announces. */
final class Eventually {

    private static final long PAUSE_NANOS = 1_000_000;

    private Eventually() {}

    /** Looks every millisecond until {@code reached}; fails after {@link WatchedClients#PATIENCE}. */
    static void await(String what, BooleanSupplier reached) {
        long until = System.nanoTime() + WatchedClients.PATIENCE.toNanos();
        while (!reached.getAsBoolean()) {
            if (System.nanoTime() - until > 0) {
                Assertions.fail("waited in vain for this: " + what);
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }
}
