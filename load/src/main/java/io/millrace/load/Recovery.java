// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.Outcome;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * The waits of one load for its server. All connections of the load share this object, because a server that refuses
 * one connection usually refuses all of them. Confined to the loading thread.
 *
 * <p>A wait begins with the first refused or lost row, and ends when the server acknowledges a row. Within a wait, the
 * delays between two attempts double from 20 ms to 1 s. The last attempt happens when the longest wait has passed.
 */
final class Recovery {

    private static final long FIRST_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long LONGEST_DELAY_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Longest time until a stopped load notices the stop during a delay. */
    private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final CancelSignal stop;
    private final Duration patience;
    private final Consumer<String> warnings;
    /** Identity of the running server process; empty if the server does not report its identity. */
    private Optional<String> runId;

    private boolean waiting;
    private long sinceNanos;
    private long delayNanos;
    /** Whether the attempt at the end of the longest wait has been made. */
    private boolean lastAttemptMade;

    private String lastFailure = "";

    /**
     * Creates the waits of a load.
     *
     * @param patience longest wait
     * @param runId the {@code run_id} of the server at the start of the load
     * @param warnings receives warnings for the user
     */
    Recovery(CancelSignal stop, Duration patience, Optional<String> runId, Consumer<String> warnings) {
        this.stop = stop;
        this.patience = patience;
        this.runId = runId;
        this.warnings = warnings;
    }

    /** Whether refused rows are sent again. After a stop, the load only waits for the replies to rows in flight. */
    boolean isPossible() {
        return !stop.isRaised();
    }

    Duration patience() {
        return patience;
    }

    /** Ends the wait, because the server has acknowledged a row. */
    void acknowledged() {
        waiting = false;
    }

    /**
     * Blocks until the next attempt is due.
     *
     * @return false if the load makes no further attempt: the longest wait has passed, or the load was stopped
     */
    boolean await(Trouble trouble) {
        long now = System.nanoTime();
        if (!waiting) {
            waiting = true;
            sinceNanos = now;
            delayNanos = FIRST_DELAY_NANOS;
            lastAttemptMade = false;
            lastFailure = "";
        }
        long left = sinceNanos + trouble.longestWait().toNanos() - now;
        if (left <= 0 && (lastAttemptMade || trouble.longestWait().isZero())) {
            return false;
        }
        lastAttemptMade = left <= delayNanos;
        long until = now + Math.clamp(left, 0, delayNanos);
        delayNanos = Math.min(2 * delayNanos, LONGEST_DELAY_NANOS);
        return parkUntil(until);
    }

    /** Returns false if the load is stopped. */
    private boolean parkUntil(long untilNanos) {
        for (long left = 1; left > 0; left = untilNanos - System.nanoTime()) {
            if (Thread.currentThread().isInterrupted()) {
                stop.interrupt();
            }
            if (stop.isRaised()) {
                return false;
            }
            LockSupport.parkNanos(this, Math.min(Math.max(1, untilNanos - System.nanoTime()), CHECK_NANOS));
        }
        return !stop.isRaised();
    }

    /** Records why an attempt to connect failed. */
    void attemptFailed(String why) {
        lastFailure = why;
    }

    /**
     * Records a new connection. Warns if the server process is another one than before.
     *
     * @param newRunId the {@code run_id} of the server
     */
    void connected(Optional<String> newRunId) {
        lastFailure = "";
        if (runId.isPresent() && newRunId.isPresent() && !runId.equals(newRunId)) {
            warnings.accept("the server was restarted or replaced during the load. Rows that the earlier server had"
                    + " acknowledged are lost if they were neither saved nor replicated. Compare with --verify full,"
                    + " or load again.");
        }
        if (newRunId.isPresent()) {
            runId = newRunId;
        }
    }

    /** Stops the load, because the server did not record the keys of a job. The rows behind them are not retried. */
    void notRecorded(Outcome outcome) {
        String why = outcome instanceof Outcome.Failed failed ? failed.error().message() : outcome.toString();
        stop.stop("the keys of the job could not be recorded: " + ServerError.sentence(why) + " Load again.");
    }

    /** Stops the load with the reason {@code trouble}, unless it is already stopped. */
    void giveUp(Trouble trouble) {
        Duration waited = waiting && !trouble.longestWait().isZero()
                ? Duration.ofMillis((System.nanoTime() - sinceNanos) / 1_000_000)
                : Duration.ZERO;
        stop.stop(trouble.message(rounded(waited), lastFailure));
        waiting = false;
    }

    /** Stops the load for {@code why}, unless it is already stopped. */
    void giveUp(String why) {
        stop.stop(why);
        waiting = false;
    }

    /** Rounds a duration of more than ten seconds to seconds. */
    private static Duration rounded(Duration waited) {
        return waited.toSeconds() < 10 ? waited : Duration.ofSeconds(waited.toSeconds());
    }
}
