// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

import io.millrace.lab.client.FailureKind;
import io.millrace.lab.experiment.Outcomes;
import io.millrace.lab.experiment.ProgressEvent.Second;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Counts the outcomes of commands. Any thread counts; one thread calls {@link #since}. */
final class Totals {

    private final Function<Throwable, FailureKind> failureKinds;
    private final LongAdder issued = new LongAdder();
    private final LongAdder ok = new LongAdder();
    private final LongAdder error = new LongAdder();
    private final LongAdder timedOut = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder lost = new LongAdder();

    private long lastIssued; // used by the thread that calls since()
    private Outcomes last = Outcomes.NONE; // the same

    Totals(Function<Throwable, FailureKind> failureKinds) {
        this.failureKinds = failureKinds;
    }

    void issue() {
        issued.increment();
    }

    /** Counts the end of a command. */
    void end(@Nullable Throwable failure) {
        adder(failure).increment();
    }

    private LongAdder adder(@Nullable Throwable failure) {
        if (failure == null) {
            return ok;
        }
        Throwable cause = failure;
        while (cause instanceof CompletionException || cause instanceof ExecutionException) {
            Throwable inner = cause.getCause();
            if (inner == null) {
                break;
            }
            cause = inner;
        }
        return switch (failureKinds.apply(cause)) {
            case ERROR -> error;
            case TIMED_OUT -> timedOut;
            case REFUSED -> refused;
            case LOST -> lost;
        };
    }

    Outcomes outcomes() {
        return new Outcomes(ok.sum(), error.sum(), timedOut.sum(), refused.sum(), lost.sum());
    }

    long issued() {
        return issued.sum();
    }

    /** Commands without an outcome. */
    long pending() {
        return snapshot().pending();
    }

    /** The numbers so far. Reads the outcomes first, so the number of pending commands is not negative. */
    Snapshot snapshot() {
        Outcomes ended = outcomes();
        return new Snapshot(issued(), ended);
    }

    /** Commands that were issued, and those that have ended. */
    record Snapshot(long issued, Outcomes outcomes) {

        static final Snapshot NONE = new Snapshot(0, Outcomes.NONE);

        /** Commands without an outcome. */
        long pending() {
            return issued - outcomes.total();
        }
    }

    /** The events since the last call. */
    Second since(int second) {
        Outcomes now = outcomes();
        long nowIssued = issued();
        Second passed = new Second(second, nowIssued - lastIssued, now.minus(last), nowIssued - now.total(), -1);
        lastIssued = nowIssued;
        last = now;
        return passed;
    }
}
