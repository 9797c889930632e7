// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.io.InterruptedIOException;
import java.lang.System.Logger.Level;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * See {@link Source#polling(Duration, Source)}.
 *
 * <p>DESIGN. A failed poll must end the flow only if asking again cannot help. The type of an exception does not show this:
 * a pool, a mapper and a client have unchecked exceptions of their own for a database that is away. So every exception is
 * survived by default, and the log shows a mistake of the program as well as an outage: the first failure at once, then at
 * most one line in a minute. This is also true for outcomes, because an outage begins while tasks run. An interrupt is not a failure: the flow interrupts its source when it stops.
 */
final class PollingSource<T> implements Source<T> {

    private static final System.Logger LOGGER = System.getLogger("io.millrace.tasks");

    private static final Duration MIN_INTERVAL = Duration.ofMillis(1);
    private static final Duration MAX_INTERVAL = Duration.ofHours(24);

    /** The longest wait after a failure, unless the interval is longer. */
    private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** So many doublings make 16 s of the shortest interval, and do not overflow with the longest. */
    private static final int MAX_DOUBLINGS = 14;

    private static final long LOG_INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final long intervalNanos;
    private final Source<T> polled;
    private final Predicate<? super Exception> survived;
    private final LongSupplier clock;

    /** Failed polls in a row. Used only by the thread that fetches from this source. */
    private long failures;

    private final AtomicLong failedOutcomes = new AtomicLong();

    // Times from which the next line may be logged.
    private final AtomicLong nextPollLine;
    private final AtomicLong nextOutcomeLine;

    PollingSource(Duration interval, Source<T> polled, Predicate<? super Exception> survived, LongSupplier clock) {
        RangeChecks.check("interval", interval, MIN_INTERVAL, MAX_INTERVAL);
        this.intervalNanos = interval.toNanos();
        this.polled = Objects.requireNonNull(polled, "polled");
        this.survived = Objects.requireNonNull(survived, "survived");
        this.clock = clock;
        this.nextPollLine = new AtomicLong(clock.getAsLong());
        this.nextOutcomeLine = new AtomicLong(clock.getAsLong());
    }

    @Override
    public List<T> next() throws Exception {
        List<T> tasks = poll();
        while (tasks.isEmpty()) {
            TimeUnit.NANOSECONDS.sleep(waitNanos()); // the flow interrupts this thread when it stops
            tasks = poll();
        }
        return tasks;
    }

    /** Returns the next tasks, or an empty list after a failure that the flow survives. */
    private List<T> poll() throws Exception {
        try {
            List<T> tasks = polled.next();
            succeeded();
            return tasks;
        } catch (Exception e) {
            if (isInterrupt(e) || !survived.test(e)) {
                throw e;
            }
            failed(e);
            return List.of();
        }
    }

    /** A database driver may wrap the exception of an interrupt, and clear the flag of the thread. */
    private static boolean isInterrupt(Exception failure) {
        return Thread.currentThread().isInterrupted()
                || Stream.<Throwable>iterate(failure, Objects::nonNull, Throwable::getCause)
                        .limit(100) // causes may form a circle
                        .anyMatch(cause -> cause instanceof InterruptedException
                                || cause instanceof ClosedByInterruptException
                                // not a subclass, such as a socket's time limit
                                || cause.getClass() == InterruptedIOException.class);
    }

    private void failed(Exception failure) {
        failures++;
        if (mayLog(nextPollLine)) {
            LOGGER.log(
                    Level.WARNING,
                    "the polled source of a flow failed: source="
                            + polled.getClass().getName() + ", failures in a row="
                            + failures + ", wait=" + TimeUnit.NANOSECONDS.toMillis(waitNanos())
                            + " ms. The flow continues and asks again after the wait. See the cause.",
                    failure);
        }
    }

    private boolean mayLog(AtomicLong nextLineNanos) {
        long now = clock.getAsLong();
        long due = nextLineNanos.get();
        return now - due >= 0 && nextLineNanos.compareAndSet(due, now + LOG_INTERVAL_NANOS);
    }

    private void succeeded() {
        if (failures > 0) {
            LOGGER.log(
                    Level.INFO,
                    "the polled source of a flow answers again: source="
                            + polled.getClass().getName() + ", failures before=" + failures + ".");
            failures = 0;
        }
    }

    /** The interval, doubled for each failure in a row after the first. */
    private long waitNanos() {
        long doublings = Math.clamp(failures - 1, 0, MAX_DOUBLINGS);
        return Math.min(intervalNanos << doublings, Math.max(intervalNanos, LONGEST_WAIT_NANOS));
    }

    @Override
    public void settled(Outcome<T, ?> outcome) throws Exception {
        try {
            polled.settled(outcome);
        } catch (Exception e) {
            if (isInterrupt(e) || !survived.test(e)) {
                throw e;
            }
            long count = failedOutcomes.incrementAndGet();
            if (mayLog(nextOutcomeLine)) {
                LOGGER.log(
                        Level.WARNING,
                        "the polled source of a flow has not handled the outcome of a task: source="
                                + polled.getClass().getName() + ", outcomes not handled=" + count
                                + ". The flow continues. See the cause.",
                        e);
            }
        }
    }

    @Override
    public void close() throws Exception {
        polled.close();
    }
}
