// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.util.concurrent.ThreadLocalRandom;

/** The waits of a worker that cannot use its server. */
final class RetryWait {

    private static final long MIN_WAIT_NANOS = 10_000_000;
    private static final long MAX_WAIT_NANOS = 1_000_000_000;

    private RetryWait() {}

    /**
     * Returns the wait in nanoseconds after a failed attempt. {@code failures} is the number of consecutive failures
     * before this failure. The wait doubles with each failure, up to one second. Then a random part, at most one half,
     * is subtracted.
     */
    static long nanos(int failures) {
        long full = Math.min(MIN_WAIT_NANOS << Math.min(failures, 20), MAX_WAIT_NANOS);
        return full / 2 + ThreadLocalRandom.current().nextLong(full / 2);
    }
}
