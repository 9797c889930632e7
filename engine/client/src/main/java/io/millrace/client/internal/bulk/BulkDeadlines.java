// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.bulk;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Supervises the deadlines of a bulk connection: decides when a command is overdue and when the server hangs. Some
 * methods may be called by any thread, and the others only by the owner, as noted below.
 *
 * <p>If the last check was long ago, the process may have been suspended. Then a grace period starts, in which no
 * command times out. So the reader can first read the replies that have already arrived. Times are compared by their
 * difference, because the value of the clock may overflow.
 */
final class BulkDeadlines {

    /** If the last check was longer ago than this time, the process may have been suspended. */
    private static final long SUSPENDED_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Length of the grace period. */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** If the last check of the outcomes is older than this time, the next submitted command causes a check. */
    private static final long COLLECT_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final LongSupplier clock;
    private final long timeoutNanos;
    private long lastCheckNanos;
    private long graceUntilNanos;

    /**
     * Creates the deadlines of a new connection.
     *
     * @param clock nanoseconds that never decrease
     * @param timeoutNanos timeout of each command
     */
    BulkDeadlines(LongSupplier clock, long timeoutNanos) {
        this.clock = clock;
        this.timeoutNanos = timeoutNanos;
        this.lastCheckNanos = now();
        this.graceUntilNanos = lastCheckNanos;
    }

    // Called by any thread.

    /** The time in nanoseconds, comparable with all deadlines. */
    long now() {
        return clock.getAsLong();
    }

    /** Returns the deadline of a command whose timeout starts at {@code now}. */
    long after(long now) {
        return now + timeoutNanos;
    }

    /**
     * Returns whether the server hangs. The server hangs if two facts are true: the deadline of the oldest unanswered
     * command passed more than one timeout ago, and the last bytes were read more than one timeout ago.
     *
     * @param oldest deadline of the oldest unanswered command
     */
    boolean serverHangs(long now, long oldest, long lastReadNanos) {
        return now - oldest > timeoutNanos && now - lastReadNanos > timeoutNanos;
    }

    /** Returns whether {@code deadline} has passed. Ignores the grace period. */
    boolean hasPassed(long deadline) {
        return now() - deadline >= 0;
    }

    /** Nanoseconds until {@code time}; 0 or less if it has passed. */
    long until(long time) {
        return time - now();
    }

    static long earlier(long a, long b) {
        return a - b <= 0 ? a : b;
    }

    /**
     * Returns the text for the cause of the end if the connection ends because the {@linkplain #serverHangs server
     * hangs}.
     */
    String hangCause() {
        return "the server hangs: no bytes were read for more than the timeout of " + timeoutNanos / 1_000_000
                + " ms while a reply was overdue";
    }

    // Called by the owner.

    /** Records a check of the outcomes. Starts a grace period if the last check was long ago. */
    void check() {
        long now = now();
        if (now - lastCheckNanos > SUSPENDED_NANOS) {
            graceUntilNanos = now + GRACE_NANOS;
        }
        lastCheckNanos = now;
    }

    /**
     * Returns whether a check of the outcomes is due although the batch is not full. The check is due if the last check
     * was more than {@link #COLLECT_NANOS} before {@code lastWriteNanos}.
     */
    boolean isCheckDue(long lastWriteNanos) {
        return lastWriteNanos - lastCheckNanos > COLLECT_NANOS;
    }

    /** Returns whether a command with {@code deadline} times out now. */
    boolean isOverdue(long deadline) {
        long now = now();
        return now - deadline >= 0 && now - graceUntilNanos >= 0;
    }

    /**
     * Returns the time at which a wait for replies ends: the later of {@code deadline} and the end of the grace period.
     */
    long endOfWait(long deadline) {
        return deadline - graceUntilNanos >= 0 ? deadline : graceUntilNanos;
    }

    /**
     * Records that the owner has waited for replies. The wait was planned to end at {@code until} at the latest. The
     * time up to {@code until} does not count as a suspension of the process.
     */
    void waited(long until) {
        lastCheckNanos = earlier(now(), until);
    }
}
