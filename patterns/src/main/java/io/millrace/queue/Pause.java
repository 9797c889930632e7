// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

/** How long the server is left alone after it could not be told of everything. Guarded by its owner's lock. */
final class Pause {

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
        until = now + Patience.waitNanos(failures++);
    }

    /** How many nanoseconds are left of it at {@code now}; 0 or less if it is over. */
    long left(long now) {
        return until - now;
    }

    /** Whether nothing has succeeded for longer than so many nanoseconds. */
    boolean outlasts(long nanos) {
        return failures > 0 && System.nanoTime() - failingSince > nanos;
    }
}
