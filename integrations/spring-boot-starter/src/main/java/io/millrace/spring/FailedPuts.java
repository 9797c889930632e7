// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Counts the failed puts of all caches, and logs them: the first failure at once, later failures together, at most once a
 * minute. Failures that are not logged yet are in the count of the next line, or of the line at the end of the
 * application. Thread-safe.
 */
final class FailedPuts {

    private static final Log LOG = LogFactory.getLog("io.millrace.spring");
    private static final long INTERVAL_NANOS = Duration.ofMinutes(1).toNanos();

    private record Failure(String cache, String message) {}

    private final LongSupplier clockNanos;
    private final Consumer<String> log;
    private final AtomicLong total = new AtomicLong();

    /** Time of the last line. */
    private final AtomicLong loggedNanos;

    /** The part of {@link #total} that is logged. */
    private final AtomicLong logged = new AtomicLong();

    private volatile @Nullable Failure last;

    FailedPuts() {
        this(System::nanoTime, LOG::warn);
    }

    /** Creates a count with another clock and another log, for tests. */
    FailedPuts(LongSupplier clockNanos, Consumer<String> log) {
        this.clockNanos = clockNanos;
        this.log = log;
        this.loggedNanos = new AtomicLong(clockNanos.getAsLong() - INTERVAL_NANOS);
    }

    void failed(String cache, RuntimeException failure) {
        Failure current = new Failure(cache, String.valueOf(failure.getMessage()));
        last = current;
        total.incrementAndGet();
        long now = clockNanos.getAsLong();
        long before = loggedNanos.get();
        if (now - before >= INTERVAL_NANOS && loggedNanos.compareAndSet(before, now)) {
            log(current);
        }
    }

    /** Logs the failures that are not logged yet. Does nothing if there are none. */
    void logRest() {
        Failure latest = last;
        if (latest != null) {
            log(latest);
        }
    }

    private void log(Failure failure) {
        long failures = total.get();
        long puts = failures - logged.getAndUpdate(known -> Math.max(known, failures));
        if (puts > 0) {
            log.accept("values could not be put into a cache: cache=" + failure.cache + ", puts=" + puts
                    + ", last failure: " + failure.message);
        }
    }

    /** Number of all failed puts. */
    long total() {
        return total.get();
    }
}
