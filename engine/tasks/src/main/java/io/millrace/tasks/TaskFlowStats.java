// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import io.millrace.tasks.Counters.Counter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Settles each task once: counts the outcome of the task, and notifies the source, the listener and the result sink.
 * Each thread that settles tasks has its own counters, so that no two threads write to the same cache line. A reader
 * first reads the counts of outcomes, and then the count of produced tasks. So the reader never sees more outcomes than
 * produced tasks.
 */
final class TaskFlowStats<T> {

    /** Stops the flow after a failure. */
    interface Stopper {
        void stop(Ending ending, @Nullable Throwable cause, OnStop mode);
    }

    private final Settings settings;
    private final ResultSink<T> resultSink;
    private final OutcomeListener<? super T> listener;
    private final Stopper stopper;
    private final Queue<Counters> allCounters = new ConcurrentLinkedQueue<>();
    private final RecordedFailures<Outcome<T, ?>> failures;
    private final RecordedFailures<Throwable> faults;

    TaskFlowStats(Settings settings, ResultSink<T> resultSink, OutcomeListener<? super T> listener, Stopper stopper) {
        this.settings = settings;
        this.resultSink = resultSink;
        this.listener = listener;
        this.stopper = stopper;
        this.failures = new RecordedFailures<>(settings.recordedFailures());
        this.faults = new RecordedFailures<>(settings.recordedFailures());
    }

    /** Creates the counters of a further thread that settles tasks. */
    Counters newCounters() {
        Counters counters = new Counters();
        allCounters.add(counters);
        return counters;
    }

    /**
     * Counts the outcome of a task in the counters of the calling thread. Then notifies the source, the listener and
     * the result sink. The outcome is counted even if there is no memory for the notification.
     */
    void settle(Entry<T> entry, StopReason verdict, Counters counts) {
        if (entry.attempts > 1) {
            counts.add(Counter.RETRIES, entry.attempts - 1);
        }
        if (entry.result != null) {
            counts.add(Counter.SUCCEEDED, 1);
            deliver(entry, new Outcome.Succeeded<>(entry.task, entry.attempts, entry.result));
        } else if (entry.failure != null) {
            counts.add(Counter.FAILED, 1);
            recordFailure(entry, new Outcome.Failed<>(entry.task, entry.attempts, entry.failure), entry.failure);
        } else if (verdict == StopReason.TIMED_OUT) {
            counts.add(Counter.TIMED_OUT, 1);
            Duration limit = Duration.ofNanos(settings.deadlineNanos());
            recordFailure(
                    entry,
                    new Outcome.TimedOut<>(
                            entry.task, entry.attempts, limit, Optional.ofNullable(entry.earlierFailure)),
                    new TimeoutException("a task timed out: after=" + limit + ", attempts=" + entry.attempts));
        } else {
            counts.add(Counter.CANCELLED, 1);
            deliver(entry, new Outcome.Cancelled<>(entry.task, entry.attempts));
        }
    }

    /**
     * Notifies the source, the listener and the result sink. If the source or the listener throws an exception, the
     * others are still notified. Clears the interrupt flag before each call of user code, so that no call receives an
     * interrupt from an earlier call.
     */
    private void deliver(Entry<T> entry, Outcome<T, ?> outcome) {
        try {
            clearInterrupt();
            entry.producer.source().settled(outcome);
        } catch (Throwable e) {
            sourceFailed(e, settings.onStop());
        }
        try {
            clearInterrupt();
            listener.settled(outcome);
        } catch (Throwable e) {
            sourceFailed(e, settings.onStop());
        }
        resultSink.deliver(entry, outcome);
    }

    private static void clearInterrupt() {
        var unused = Thread.interrupted();
    }

    private void recordFailure(Entry<T> entry, Outcome<T, ?> outcome, Throwable cause) {
        failures.add(outcome);
        Events.recordFailure(settings.name(), cause, outcome.attempts());
        boolean fatal = cause instanceof VirtualMachineError && !(cause instanceof StackOverflowError);
        if (fatal || !settings.continueOnFailure()) {
            stopper.stop(Ending.TASK_FAILED, cause, settings.onStop());
        }
        deliver(entry, outcome);
    }

    /** Stops the flow because a source, the listener or a thread of the flow has failed. */
    void sourceFailed(Throwable cause, OnStop mode) {
        try {
            faults.add(cause);
        } finally {
            stopper.stop(Ending.SOURCE_FAILED, cause, mode);
        }
    }

    /** The current counts. */
    TaskCounts counts() {
        long succeeded = sum(Counter.SUCCEEDED);
        long failed = sum(Counter.FAILED);
        long timedOut = sum(Counter.TIMED_OUT);
        long cancelled = sum(Counter.CANCELLED);
        long retries = sum(Counter.RETRIES);
        long produced = sum(Counter.PRODUCED); // read last, because tasks are produced before they are settled
        long pending = produced - succeeded - failed - timedOut - cancelled;
        return new TaskCounts(produced, succeeded, failed, timedOut, cancelled, pending, retries);
    }

    private long sum(Counter what) {
        long sum = 0;
        for (Counters counters : allCounters) {
            sum += counters.get(what);
        }
        return sum;
    }

    /** Creates the report of a flow that has ended. */
    TaskFlowReport<T> close(Ending ending, int abandoned, Duration elapsed) {
        TaskCounts counts = counts();
        List<Outcome<T, ?>> recorded = failures.recorded();
        long notRecorded = counts.failed() + counts.timedOut() - recorded.size();
        return new TaskFlowReport<>(
                settings.name(), ending, counts, recorded, notRecorded, faults.recorded(), abandoned, elapsed);
    }
}
