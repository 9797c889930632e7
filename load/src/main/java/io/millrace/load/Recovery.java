// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.Outcome;
import io.millrace.resp.Reply.ErrorReply;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The waits of one load for its server. All connections of the load share this object, because a server that refuses
 * one connection usually refuses all of them. Confined to the loading thread.
 *
 * <p>A wait begins with the first refused or lost row, and ends when the server acknowledges a row. Within a wait, the
 * delays between two attempts double from 20 ms to 1 s. The last attempt happens when the longest wait has passed. Only
 * the time before a new connection counts: a quiet source may let much time pass until the next row.
 */
final class Recovery {

    private static final long FIRST_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long LONGEST_DELAY_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Longest time until a stopped load notices the stop during a delay. */
    private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final String VERIFICATION_ENDED = "verification ended early: ";
    private static final String VERIFY_AGAIN = "Verify again when the server accepts commands.";

    private final LongSupplier clock;
    private final CancelSignal stop;
    private final Duration patience;

    /** Whether rows are read back, and not written. */
    private final boolean verifying;

    private final Consumer<String> warnings;
    /** Identity of the running server process; empty if the server does not report its identity. */
    private Optional<String> runId;

    private boolean waiting;

    /** Time of the attempts that have ended with a connection. The time in which the load had a connection is no wait. */
    private long waitedNanos;

    /** Whether the load has no connection, and tries to connect since {@link #sinceNanos}. */
    private boolean attempting;

    private long sinceNanos;

    private long delayNanos;
    /** Whether the attempt at the end of the longest wait has been made. */
    private boolean lastAttemptMade;

    private String lastFailure = "";

    /**
     * Creates the waits of a load or of a verification.
     *
     * @param verifying whether rows are read back, and not written
     * @param patience longest wait
     * @param runId the {@code run_id} of the server at the start of the load
     * @param warnings receives warnings for the user
     */
    Recovery(
            boolean verifying,
            CancelSignal stop,
            Duration patience,
            Optional<String> runId,
            Consumer<String> warnings) {
        this(verifying, stop, patience, runId, warnings, System::nanoTime);
    }

    /**
     * The waits of a verification.
     *
     * @param runId the {@code run_id} of the server at the start of the job
     */
    static Recovery ofVerification(LoadContext context, Optional<String> runId) {
        Duration patience = context.plan().options().patience();
        return new Recovery(true, context.cancelSignal(), patience, runId, context.events()::warn);
    }

    /** Creates the waits with a clock for tests, which counts nanoseconds. */
    Recovery(
            boolean verifying,
            CancelSignal stop,
            Duration patience,
            Optional<String> runId,
            Consumer<String> warnings,
            LongSupplier clock) {
        this.clock = clock;
        this.verifying = verifying;
        this.stop = stop;
        this.patience = patience;
        this.runId = runId;
        this.warnings = warnings;
    }

    /** Whether refused rows are sent again. After a stop, the load only waits for the replies to rows in flight. */
    boolean isPossible() {
        return !stop.isRaised();
    }

    /** Identity of the server at the start of the load; empty if it is unknown. */
    Optional<String> runId() {
        return runId;
    }

    Duration patience() {
        return patience;
    }

    /** The trouble that the server refuses rows with a temporary error. */
    Trouble refused(ServerError kind, ErrorReply error) {
        return verifying
                ? new Trouble(
                        VERIFICATION_ENDED + ServerError.sentence(error.message()),
                        VERIFY_AGAIN,
                        kind.longestWait(patience))
                : Trouble.refused(kind, error, patience);
    }

    /** The trouble that the connection was lost. */
    Trouble lost(Outcome.Lost lost) {
        return verifying
                ? new Trouble(VERIFICATION_ENDED + Trouble.lostText(lost), VERIFY_AGAIN, patience)
                : Trouble.lost(lost, patience);
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
        long now = clock.getAsLong();
        if (!waiting) {
            waiting = true;
            waitedNanos = 0;
            attempting = false;
            delayNanos = FIRST_DELAY_NANOS;
            lastAttemptMade = false;
            lastFailure = "";
        }
        if (!attempting) {
            attempting = true;
            sinceNanos = now;
        }
        long left = trouble.longestWait().toNanos() - waitedNanos(now);
        if (left <= 0 && (lastAttemptMade || trouble.longestWait().isZero())) {
            return false;
        }
        lastAttemptMade = left <= delayNanos;
        long until = now + Math.clamp(left, 0, delayNanos);
        delayNanos = Math.min(2 * delayNanos, LONGEST_DELAY_NANOS);
        return parkUntil(until);
    }

    private long waitedNanos(long now) {
        return attempting ? waitedNanos + now - sinceNanos : waitedNanos;
    }

    /** Returns false if the load is stopped. */
    private boolean parkUntil(long untilNanos) {
        for (long left = 1; left > 0; left = untilNanos - clock.getAsLong()) {
            if (Thread.currentThread().isInterrupted()) {
                stop.interrupt();
            }
            if (stop.isRaised()) {
                return false;
            }
            LockSupport.parkNanos(this, Math.min(Math.max(1, untilNanos - clock.getAsLong()), CHECK_NANOS));
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
        waitedNanos = waitedNanos(clock.getAsLong());
        attempting = false;
        if (runId.isPresent() && newRunId.isPresent() && !runId.equals(newRunId)) {
            warnings.accept(
                    verifying
                            ? "the server was restarted or replaced during the verification. Rows that were compared"
                                    + " before may be lost now. Verify again."
                            : "the server was restarted or replaced during the load. Rows that the earlier server had"
                                    + " acknowledged count as unconfirmed if the server may not have them now.");
        }
        if (newRunId.isPresent()) {
            runId = newRunId;
        }
    }

    /** Warns that a server has not come back after it had acknowledged its rows. */
    void notSettled() {
        warnings.accept(
                "the connection to a server was lost after the last reply, and the server does not reply any more."
                        + " Rows that it had acknowledged are lost if they were neither saved nor replicated. Compare with"
                        + " --verify full, or load again.");
    }

    /** Stops the load, because the server did not record the keys of a job. The rows behind them are not retried. */
    void notRecorded(Outcome outcome) {
        String why = outcome instanceof Outcome.Failed failed ? failed.error().message() : outcome.toString();
        stop.stop("the keys of the job could not be recorded: " + ServerError.sentence(why) + " Load again.");
    }

    /** Stops the load with the reason {@code trouble}, unless it is already stopped. */
    void giveUp(Trouble trouble) {
        Duration waited = waiting && !trouble.longestWait().isZero()
                ? Duration.ofMillis(waitedNanos(clock.getAsLong()) / 1_000_000)
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
