// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.client.ClientOptions;
import io.millrace.load.LoadEvent;
import io.millrace.load.LoadReport;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.Loader;
import io.millrace.load.RowCounts;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One run of a job, on a separate thread. {@link #stop}, {@link #expire} and {@link #abandon} may be called by any thread.
 *
 * <p>A run ends once: with the result of its thread, or if the thread does not end in time, with {@link #givenUp}. The job
 * stays occupied until the thread has ended, so a job runs only once at a time.
 */
final class JobRun {

    private static final RowCounts NO_ROWS = new RowCounts(0, 0, 0, 0, 0);

    private final JobSlot slot;
    private final LoadJob job;
    private final RunKind kind;
    private final RunPublication publication;
    private final long number;
    private final ClientOptions redis;
    private final RunEvents events;
    private final long startNanos = System.nanoTime();
    private final CompletableFuture<LoadRun> result = new CompletableFuture<>();
    private final AtomicReference<@Nullable LoadRun> ended = new AtomicReference<>();
    private final CountDownLatch stopped = new CountDownLatch(1);

    /** Set once, by the timer. */
    private volatile boolean overdue;

    /** Set by the thread of the renewals of the lease, and reset by the thread of the job. */
    private volatile boolean lostLease;

    /** Set by the thread of the job. */
    private volatile @Nullable Loader loader;

    /**
     * Creates a run.
     *
     * @param job the job of the slot, perhaps with changed options
     */
    JobRun(JobSlot slot, LoadJob job, long number, RunPublication publication, ClientOptions redis, RunEvents events) {
        this.slot = slot;
        this.job = job;
        this.number = number;
        this.kind = RunKind.of(slot.job().plan().options(), job.plan().options());
        this.publication = publication;
        this.redis = redis;
        this.events = events;
    }

    JobSlot slot() {
        return slot;
    }

    LoadJob job() {
        return job;
    }

    RunKind kind() {
        return kind;
    }

    RunPublication publication() {
        return publication;
    }

    /** The number that the events of this run have. */
    long number() {
        return number;
    }

    /** The result of the run. Completed after the listeners of {@link LoadEnded}, or if these take too long. */
    CompletableFuture<LoadRun> result() {
        return result;
    }

    /** Whether the caller that ends the run is the first one. */
    boolean endOnce(LoadRun run) {
        return ended.compareAndSet(null, run);
    }

    /**
     * Completes the result if the run has ended. Runs the actions that callers have attached to the result, so the calling
     * thread must be allowed to block. A second call does nothing.
     */
    void answer() {
        LoadRun run = ended.get();
        if (run != null) {
            result.complete(run);
        }
    }

    /** Does the same on a virtual thread. Returns at once. */
    void answerOnVirtualThread() {
        if (ended.get() != null && !result.isDone()) {
            Thread.ofVirtual().name("millrace-load-answer").start(this::answer);
        }
    }

    /** Whether a caller, the shutdown or the deadline has stopped the run. */
    boolean isStopped() {
        return stopped.getCount() == 0;
    }

    /** Stops the run. Rows in flight still get their replies. */
    void stop() {
        stopped.countDown();
        stopLoading();
    }

    /** Stops the run, because its deadline has passed. */
    void expire() {
        overdue = true;
        stop();
    }

    /** Stops the run, and does not wait for the replies of the rows in flight. */
    void abandon() {
        stopped.countDown();
        Loader current = loader;
        if (current != null) {
            current.abandon();
        }
    }

    /** Stops only the load, because another instance has the lease. */
    void loseLease() {
        lostLease = true;
        stopLoading();
    }

    void continueAfterLostLease() {
        lostLease = false;
    }

    private void stopLoading() {
        Loader current = loader;
        if (current != null) {
            current.stop();
        }
    }

    /** Waits for {@code time}, or until the run is stopped. */
    void pause(Duration time) {
        try {
            var unused = stopped.await(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            stop();
        }
    }

    /**
     * Loads on the calling thread. A stop before the load has registered itself would be lost, so each event of the load
     * repeats the stop; there are ten events per second.
     */
    LoadRun load() {
        if (isStopped()) {
            return endedBeforeFirstRow("");
        }
        Loader current = new Loader(redis);
        loader = current;
        Consumer<LoadEvent> stopping = event -> {
            if (isStopped() || lostLease) {
                current.stop();
            }
        };
        try {
            LoadReport report = current.run(job.plan(), stopping.andThen(events.listener(job.name(), kind)));
            return LoadRun.of(job.name(), kind, overdue ? withDeadline(report) : report);
        } catch (RuntimeException | Error failure) {
            // Also an error, such as a missing class of a driver: the caller then gives the lease of the fleet back.
            return failed(failure);
        }
    }

    LoadRun failed(Throwable failure) {
        String message = failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
        return LoadRun.failed(job.name(), kind, withoutResult(new Ending.Failed(message)), failure);
    }

    /**
     * The result of a run that was stopped before its load had begun.
     *
     * @param reason why the load could not begin, as a sentence after that about the deadline; may be empty
     */
    LoadRun endedBeforeFirstRow(String reason) {
        return LoadRun.of(
                job.name(),
                kind,
                withoutResult(overdue ? new Ending.Stopped(deadlineText() + reason) : new Ending.Interrupted()));
    }

    /** The result of a run whose thread did not end although it was stopped and abandoned. */
    LoadRun givenUp() {
        String text = (overdue ? deadlineText() : "the load was stopped")
                + " The load did not end, because the source, the server or a listener of the application blocks it.";
        return LoadRun.of(job.name(), kind, withoutResult(new Ending.Stopped(text)));
    }

    private LoadReport withoutResult(Ending ending) {
        return LoadReport.withoutResult(
                ending, LoadReport.Job.of(job.plan(), redis.uri()), NO_ROWS, (System.nanoTime() - startNanos) / 1e9);
    }

    private String deadlineText() {
        return "the deadline of the job passed: deadline="
                + LoadJobFactory.DEADLINE.unit().text(job.deadline()) + ". Raise "
                + LoadProperties.prefix(job.name()) + ".deadline, or make the load smaller.";
    }

    /** A load that the deadline has interrupted counts as stopped. */
    private LoadReport withDeadline(LoadReport report) {
        if (!(report.ending() instanceof Ending.Interrupted)) {
            return report;
        }
        return report.with(new Ending.Stopped(deadlineText()), report.job(), report.details());
    }
}
