// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Counts the marks that were not stored, because their spans have expired. Logs at most one warning per hour.
 * Thread-safe.
 */
final class ExpiredMarks {

    private static final System.Logger LOGGER = System.getLogger("io.millrace.bitmap");
    private static final Duration WARNING_INTERVAL = Duration.ofHours(1);

    private final String name;
    private final LongSupplier nanoTime;
    private final AtomicLong count = new AtomicLong();
    private final AtomicLong nextWarningNanos;

    ExpiredMarks(String name, LongSupplier nanoTime) {
        this.name = name;
        this.nanoTime = nanoTime;
        this.nextWarningNanos = new AtomicLong(nanoTime.getAsLong());
    }

    long count() {
        return count.get();
    }

    void add(long marks) {
        if (marks == 0) {
            return;
        }
        long all = count.addAndGet(marks);
        long now = nanoTime.getAsLong();
        long due = nextWarningNanos.get();
        if (now - due >= 0 && nextWarningNanos.compareAndSet(due, now + WARNING_INTERVAL.toNanos())) {
            LOGGER.log(
                    Level.WARNING,
                    "marks were not stored, because their spans have expired: name=" + name + ", expired=" + all
                            + ". Add only marks of younger spans, or keep the spans longer (Activity.keepFor).");
        }
    }
}
