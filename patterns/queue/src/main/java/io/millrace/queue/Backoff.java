// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

/**
 * The pause after a failed round of acknowledgements. The pause grows with each consecutive failure, up to a limit. The
 * caller of each method must hold the lock of the {@link Acknowledger}.
 */
final class Backoff {

    private int failures;
    private long until = System.nanoTime();

    void succeeded() {
        failures = 0;
        until = System.nanoTime();
    }

    void failed() {
        until = System.nanoTime() + RetryWait.nanos(failures++);
    }

    /**
     * Returns the nanoseconds from {@code now} to the end of the pause. The result is 0 or less if the pause is over.
     */
    long remaining(long now) {
        return until - now;
    }
}
