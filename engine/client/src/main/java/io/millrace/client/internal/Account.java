// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.CommandCounts;
import io.millrace.client.FusionCounts;
import io.millrace.client.Outcome;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** Counts commands by outcome. Any thread counts, any thread looks; no locks. */
final class Account {

    private final LongAdder submitted = new LongAdder();
    private final LongSupplier submittedBesides;
    private final LongAdder ok = new LongAdder();
    private final LongAdder error = new LongAdder();
    private final LongAdder timedOut = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder lost = new LongAdder();
    private final LongAdder late = new LongAdder();
    private final LongAdder fusedRuns = new LongAdder();
    private final LongAdder fusedCommands = new LongAdder();

    Account() {
        this(() -> 0);
    }

    /** An account of which {@code besides} counts commands that were submitted and not told of here, ever more of them. */
    Account(LongSupplier besides) {
        this.submittedBesides = besides;
    }

    void submitted() {
        submitted.increment();
    }

    void submitted(int commands) {
        submitted.add(commands);
    }

    /** So many commands were answered, for who counts them by the batch. */
    void answered(long okCount, long errorCount) {
        ok.add(okCount);
        error.add(errorCount);
    }

    void ended(Outcome outcome) {
        ended(outcome, 1);
    }

    /** So many commands have ended in the same way. */
    void ended(Outcome outcome, int commands) {
        LongAdder adder = switch (outcome) {
            case Outcome.Ok ignored -> ok;
            case Outcome.Failed ignored -> error;
            case Outcome.TimedOut ignored -> timedOut;
            case Outcome.Refused ignored -> refused;
            case Outcome.Lost ignored -> lost;
        };
        adder.add(commands);
    }

    /** A reply came for a command whose outcome was decided before. */
    void late() {
        late.increment();
    }

    /** So many commands went out as one. */
    void fused(int commands) {
        fusedRuns.increment();
        fusedCommands.add(commands);
    }

    FusionCounts fusion() {
        return new FusionCounts(fusedRuns.sum(), fusedCommands.sum());
    }

    long lateReplies() {
        return late.sum();
    }

    CommandCounts counts() {
        long okNow = ok.sum();
        long errorNow = error.sum();
        long timedOutNow = timedOut.sum();
        long refusedNow = refused.sum();
        long lostNow = lost.sum();
        long ended = okNow + errorNow + timedOutNow + refusedNow + lostNow;
        // Every command is counted as submitted before it ends, so reading this last keeps pending from falling below
        // 0.
        long all = submitted.sum() + submittedBesides.getAsLong();
        return new CommandCounts(all, okNow, errorNow, timedOutNow, refusedNow, lostNow, all - ended);
    }
}
