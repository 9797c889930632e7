// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Logs events that may be frequent: at most {@link #MAX_LINES} lines of each kind in a minute. The next line of this kind
 * has the number of events without a line. Does not throw. Thread-safe.
 */
final class LimitedLog {

    /** The kinds of events. */
    enum Event {
        FAILED,
        DEAD,
        DROPPED,
        REJECTED,
        RELEASED
    }

    static final int MAX_LINES = 10;

    private static final long PERIOD_NANOS = Duration.ofMinutes(1).toNanos();

    /** The lines of one kind. The lock of the log guards all fields. */
    private static final class Lines {

        private long periodStart;
        private int logged;
        private long left;

        Lines(long now) {
            periodStart = now;
        }
    }

    private final String origin;
    private final LongSupplier clock;
    private final ReentrantLock lock = new ReentrantLock();

    /** The lock guards this field. */
    private final Map<Event, Lines> kinds = new EnumMap<>(Event.class);

    LimitedLog(String queue, String worker) {
        this(queue, worker, System::nanoTime);
    }

    LimitedLog(String queue, String worker, LongSupplier clock) {
        this.origin = ": queue=" + queue + ", worker=" + worker;
        this.clock = clock;
    }

    /**
     * Logs an event.
     *
     * @param message the event
     * @param values further values and the advice, beginning with a comma, or empty
     */
    void log(Event event, Level level, String message, String values, @Nullable Throwable failure) {
        long left = admit(event);
        if (left < 0) {
            return;
        }
        String line = message + origin + (left == 0 ? "" : ", eventsNotLogged=" + left) + values;
        QueueLog.log(level, line, failure);
    }

    /** Returns the number of events of this kind without a line, or -1 if this event has no line either. */
    private long admit(Event event) {
        lock.lock();
        try {
            long now = clock.getAsLong();
            Lines lines = kinds.computeIfAbsent(event, kind -> new Lines(now));
            if (now - lines.periodStart >= PERIOD_NANOS) {
                lines.periodStart = now;
                lines.logged = 0;
            }
            if (lines.logged == MAX_LINES) {
                lines.left++;
                return -1;
            }
            lines.logged++;
            long left = lines.left;
            lines.left = 0;
            return left;
        } finally {
            lock.unlock();
        }
    }
}
