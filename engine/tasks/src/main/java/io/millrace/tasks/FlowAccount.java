// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import io.millrace.tasks.Tally.What;
import io.millrace.tasks.Worker.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Settles each task once: counts what became of it, and tells whoever is to know. Counts are kept in a tally for each thread that
 * settles, so that no two write to the same place. A count of outcomes is read before that of what was produced, so that at no
 * moment more tasks have an outcome than were produced.
 */
final class FlowAccount<T> {

    /** Who ends the flow when something has gone wrong. */
    interface Stopper {
        void stop(Ending ending, @Nullable Throwable cause, OnStop how);
    }

    private final Settings settings;
    private final Outlet<T> outlet;
    private final OutcomeListener<? super T> listener;
    private final Stopper stopper;
    private final Queue<Tally> tallies = new ConcurrentLinkedQueue<>();
    private final Kept<Outcome<T, ?>> failures;
    private final Kept<Throwable> faults;

    FlowAccount(Settings settings, Outlet<T> outlet, OutcomeListener<? super T> listener, Stopper stopper) {
        this.settings = settings;
        this.outlet = outlet;
        this.listener = listener;
        this.stopper = stopper;
        this.failures = new Kept<>(settings.keptFailures());
        this.faults = new Kept<>(settings.keptFailures());
    }

    /** A tally for one thread more. */
    Tally newTally() {
        Tally tally = new Tally();
        tallies.add(tally);
        return tally;
    }

    /**
     * Counts what became of a task, in the tally of the calling thread, and tells whoever is to know. It is counted first: also when
     * there is no memory to tell it.
     */
    void settle(Entry<T> entry, Verdict verdict, Tally counts) {
        if (entry.attempts > 1) {
            counts.add(What.RETRIES, entry.attempts - 1);
        }
        if (entry.result != null) {
            counts.add(What.SUCCEEDED, 1);
            tell(entry, new Outcome.Succeeded<>(entry.task, entry.attempts, entry.result));
        } else if (entry.failure != null) {
            counts.add(What.FAILED, 1);
            failed(entry, new Outcome.Failed<>(entry.task, entry.attempts, entry.failure), entry.failure);
        } else if (verdict == Verdict.TIMED_OUT) {
            counts.add(What.TIMED_OUT, 1);
            Duration given = Duration.ofNanos(settings.deadlineNanos());
            failed(
                    entry,
                    new Outcome.TimedOut<>(
                            entry.task, entry.attempts, given, Optional.ofNullable(entry.earlierFailure)),
                    new TimeoutException("a task timed out: after=" + given + ", attempts=" + entry.attempts));
        } else {
            counts.add(What.CANCELLED, 1);
            tell(entry, new Outcome.Cancelled<>(entry.task, entry.attempts));
        }
    }

    /** Tells all, whichever of them cannot take note. An interrupt of one, or of before, is not meant for the next. */
    private void tell(Entry<T> entry, Outcome<T, ?> outcome) {
        try {
            clearInterrupt();
            entry.feed.source().settled(outcome);
        } catch (Throwable e) {
            fault(e, settings.onStop());
        }
        try {
            clearInterrupt();
            listener.settled(outcome);
        } catch (Throwable e) {
            fault(e, settings.onStop());
        }
        outlet.deliver(entry, outcome);
    }

    private static void clearInterrupt() {
        var unused = Thread.interrupted();
    }

    private void failed(Entry<T> entry, Outcome<T, ?> outcome, Throwable cause) {
        failures.add(outcome);
        var failure = new Events.TaskFailure();
        failure.flow = settings.name();
        failure.cause = cause.getClass().getName();
        failure.attempts = outcome.attempts();
        failure.commit();
        boolean fatal = cause instanceof VirtualMachineError && !(cause instanceof StackOverflowError);
        if (fatal || !settings.carryOn()) {
            stopper.stop(Ending.TASK_FAILED, cause, settings.onStop());
        }
        tell(entry, outcome);
    }

    /** Stops the flow because of what a source, the listener or a thread of the flow has thrown. */
    void fault(Throwable cause, OnStop how) {
        try {
            faults.add(cause);
        } finally {
            stopper.stop(Ending.SOURCE_FAILED, cause, how);
        }
    }

    /** Its tasks at this moment. */
    TaskCounts counts() {
        long succeeded = sum(What.SUCCEEDED);
        long failed = sum(What.FAILED);
        long timedOut = sum(What.TIMED_OUT);
        long cancelled = sum(What.CANCELLED);
        long retries = sum(What.RETRIES);
        long produced = sum(What.PRODUCED); // last: what was settled before was produced before
        long pending = produced - succeeded - failed - timedOut - cancelled;
        return new TaskCounts(produced, succeeded, failed, timedOut, cancelled, pending, retries);
    }

    private long sum(What what) {
        long sum = 0;
        for (Tally tally : tallies) {
            sum += tally.get(what);
        }
        return sum;
    }

    /** The account of a flow that has ended. */
    FlowReport<T> close(Ending ending, int abandoned, Duration elapsed) {
        TaskCounts counts = counts();
        List<Outcome<T, ?>> kept = failures.kept();
        long notKept = counts.failed() + counts.timedOut() - kept.size();
        return new FlowReport<>(settings.name(), ending, counts, kept, notKept, faults.kept(), abandoned, elapsed);
    }
}
