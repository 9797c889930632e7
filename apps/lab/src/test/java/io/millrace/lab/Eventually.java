// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waiting for what another thread does and nobody announces. */
public final class Eventually {

    private static final long PATIENCE_NANOS = Duration.ofSeconds(200).toNanos();
    private static final long PAUSE_NANOS = 1_000_000;

    private Eventually() {}

    public static void holds(BooleanSupplier condition) {
        long giveUp = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.getAsBoolean() && System.nanoTime() - giveUp < 0) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        assertThat(condition.getAsBoolean()).isTrue();
    }
}
