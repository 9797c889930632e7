// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.stats;

import io.millrace.client.CommandCounts;
import io.millrace.client.FusionCounts;
import io.millrace.client.Outcome;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** Counts commands by outcome. Thread-safe, without locks. */
public final class StatsCounter {

    private final LongAdder countSubmitted = new LongAdder();
    private final LongSupplier otherSubmitted;
    private final LongAdder ok = new LongAdder();
    private final LongAdder error = new LongAdder();
    private final LongAdder timedOut = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder lost = new LongAdder();
    private final LongAdder countLate = new LongAdder();
    private final LongAdder countRetries = new LongAdder();
    private final LongAdder redirected = new LongAdder();
    private final LongAdder fusedBatches = new LongAdder();
    private final LongAdder fusedCommands = new LongAdder();

    public StatsCounter() {
        this(() -> 0);
    }

    /**
     * Creates a counter that adds {@code others} to the number of submitted commands. The value of {@code others} must
     * never decrease.
     */
    public StatsCounter(LongSupplier others) {
        this.otherSubmitted = others;
    }

    public void countSubmitted() {
        countSubmitted.increment();
    }

    public void countSubmitted(int commands) {
        countSubmitted.add(commands);
    }

    /** Adds the numbers of commands that were answered during one read. */
    public void countAnswered(long okCount, long errorCount) {
        ok.add(okCount);
        error.add(errorCount);
    }

    public void countEnded(Outcome outcome) {
        countEnded(outcome, 1);
    }

    /** Counts commands that have the same outcome. */
    public void countEnded(Outcome outcome, int commands) {
        LongAdder adder = switch (outcome) {
            case Outcome.Ok ignored -> ok;
            case Outcome.Failed ignored -> error;
            case Outcome.TimedOut ignored -> timedOut;
            case Outcome.Refused ignored -> refused;
            case Outcome.Lost ignored -> lost;
        };
        adder.add(commands);
    }

    /** Counts a reply whose command already had an outcome. */
    public void countLate() {
        countLate(1);
    }

    /** Counts {@code replies} whose commands already had outcomes. */
    public void countLate(long replies) {
        countLate.add(replies);
    }

    /**
     * Takes off a command that is submitted again elsewhere, because the server has redirected it. Its error reply was
     * counted, or is counted soon.
     */
    public void countRedirected() {
        redirected.increment();
    }

    /** Number of commands that {@link #countRedirected} has taken off. */
    public long redirected() {
        return redirected.sum();
    }

    /** Counts commands that are sent again after a temporary refusal. */
    public void countRetries(int commands) {
        countRetries.add(commands);
    }

    public long retries() {
        return countRetries.sum();
    }

    /** Counts {@code commands} that were fused into one command. */
    public void countFused(int commands) {
        fusedBatches.increment();
        fusedCommands.add(commands);
    }

    public FusionCounts fusion() {
        return new FusionCounts(fusedBatches.sum(), fusedCommands.sum());
    }

    public long lateReplies() {
        return countLate.sum();
    }

    public CommandCounts counts() {
        // Read this count first: a redirected command is counted as submitted before.
        long redirectedNow = redirected.sum();
        long okNow = ok.sum();
        long errorNow = Math.max(0, error.sum() - redirectedNow);
        long timedOutNow = timedOut.sum();
        long refusedNow = refused.sum();
        long lostNow = lost.sum();
        long ended = okNow + errorNow + timedOutNow + refusedNow + lostNow;
        // Read the count of submitted commands last. A command is counted as submitted before it is counted as ended.
        // With another order, the number of pending commands could be negative.
        long submittedNow = countSubmitted.sum() + otherSubmitted.getAsLong() - redirectedNow;
        return new CommandCounts(submittedNow, okNow, errorNow, timedOutNow, refusedNow, lostNow, submittedNow - ended);
    }
}
