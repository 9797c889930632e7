// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** Counts the failed puts of all caches, and logs them once a minute. Thread-safe. */
final class FailedPuts {

    private static final Log LOG = LogFactory.getLog("io.millrace.spring");
    private static final long INTERVAL_NANOS = Duration.ofMinutes(1).toNanos();

    private final AtomicLong total = new AtomicLong();

    /** Time of the last log entry. The first failure is logged at once. */
    private final AtomicLong loggedNanos = new AtomicLong(System.nanoTime() - INTERVAL_NANOS);

    private final AtomicLong logged = new AtomicLong();

    void failed(String cache, RuntimeException failure) {
        long failures = total.incrementAndGet();
        long now = System.nanoTime();
        long last = loggedNanos.get();
        if (now - last >= INTERVAL_NANOS && loggedNanos.compareAndSet(last, now)) {
            long before = logged.getAndSet(failures);
            LOG.warn("values could not be put into a cache: cache=" + cache + ", puts=" + (failures - before)
                    + ", last failure: " + failure.getMessage());
        }
    }

    /** Number of all failed puts. */
    long total() {
        return total.get();
    }
}
