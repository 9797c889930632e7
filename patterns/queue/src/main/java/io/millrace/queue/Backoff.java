// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

/**
 * The backoff after failed rounds of acknowledgements. The caller of each method must hold the lock of the {@link
 * Acknowledger}.
 */
final class Backoff {

    private int failures;
    private long failingSince;
    private long until = System.nanoTime();

    void succeeded() {
        failures = 0;
        until = System.nanoTime();
    }

    void failed() {
        long now = System.nanoTime();
        if (failures == 0) {
            failingSince = now;
        }
        until = now + RetryPolicy.waitNanos(failures++);
    }

    /** Returns the remaining nanoseconds at {@code now}, 0 or less if the backoff is over. */
    long remaining(long now) {
        return until - now;
    }

    /** Returns whether all rounds have failed for longer than {@code nanos}. */
    boolean failsLongerThan(long nanos) {
        return failures > 0 && System.nanoTime() - failingSince > nanos;
    }
}
