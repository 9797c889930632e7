// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.spring.LoadJobs.JobEnvironment;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Starts the threads of runs, and ends runs. Thread-safe.
 *
 * <p>DESIGN. A run ends in one of three ways: its thread returns; a stop, the deadline or the shutdown stops the run, and its
 * thread returns soon; or its thread is blocked by the source or the server. In the last case the timer abandons the load
 * after {@link StopLimits#replies}, and gives the run up after {@link StopLimits#thread}, so that no caller waits without end.
 * A caller waits for the listeners of {@link LoadEnded}, too, at most until the deadline of the job.
 *
 * <pre>
 *   begin -> JobRun (thread of the job) -> FleetLoad or Loader -> LoadRun -> JobSlot, LoadEnded, callers
 *   timer -> deadline: expire, abandon, give up
 * </pre>
 *
 * <p>The thread of the timer serves all jobs. So the timer never calls code of the application: a virtual thread publishes the
 * end of a run that was given up, and another one completes the futures of its callers.
 */
final class JobRunner {

    private final JobEnvironment environment;
    private final RunEvents events;
    private final ScheduledThreadPoolExecutor timer;
    private final FleetLoad fleet;

    /** Number of runs since the start of the application. */
    private final AtomicLong runs = new AtomicLong();

    /** The runs whose result is not complete: their threads, or their listeners, have not returned. */
    private final Set<JobRun> unanswered = ConcurrentHashMap.newKeySet();

    JobRunner(JobEnvironment environment) {
        this.environment = environment;
        this.events = new RunEvents(environment.events(), environment.observers());
        this.timer = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name("millrace-load-timer").factory());
        this.timer.setRemoveOnCancelPolicy(true);
        this.fleet = new FleetLoad(environment.client(), timer, environment.lease());
    }

    ScheduledThreadPoolExecutor timer() {
        return timer;
    }

    /** Asks each observer for a listener of the job, so that the meters of the job exist before its first run. */
    void announce(LoadJob job) {
        var unused = events.listener(job.name(), RunKind.CONFIGURED);
    }

    /** Starts a run. The caller ensures that the job is free. */
    JobRun begin(JobSlot slot, LoadJob job) {
        JobRun run = slot.occupy(job, runs.incrementAndGet(), environment.options(), events);
        Thread thread = Thread.ofPlatform().name("millrace-load-" + job.name()).unstarted(() -> execute(run));
        unanswered.add(run);
        var unused = run.result().thenRun(() -> unanswered.remove(run));
        after(job.deadline(), run, () -> {
            run.expire();
            run.answerOnVirtualThread();
            limitStop(run);
        });
        thread.start();
        return run;
    }

    /** Gives a stopped run up if it does not end. */
    void limitStop(JobRun run) {
        StopLimits limits = environment.limits();
        after(limits.replies(), run, run::abandon);
        after(limits.replies().plus(limits.thread()), run, () -> giveUp(run));
    }

    /** Runs {@code action} after {@code delay}, unless the result of the run is complete before. */
    private void after(Duration delay, JobRun run, Runnable action) {
        if (!timer.isShutdown()) {
            ScheduledFuture<?> task = timer.schedule(action, delay.toNanos(), TimeUnit.NANOSECONDS);
            var unused = run.result().whenComplete((ended, failure) -> task.cancel(false));
        }
    }

    /** The work of the thread of a run. */
    private void execute(JobRun run) {
        LoadRun ended;
        try {
            run.publication().start(() -> events.started(run.job().name(), run.kind(), run.number()));
            ended = run.job().isShared() ? fleet.run(run) : run.load();
        } catch (RuntimeException | Error failure) {
            ended = run.failed(failure);
        }
        if (run.slot().end(run, ended)) {
            events.logEnd(ended);
            try {
                publishEnd(run, ended);
            } finally {
                run.answer();
            }
        }
    }

    private void publishEnd(JobRun run, LoadRun ended) {
        run.publication().end(() -> events.ended(ended, run.number()));
    }

    /** Stops {@code runs}, and waits for their ends. Gives up the runs that do not end. */
    void stop(List<JobRun> runs) {
        StopLimits limits = environment.limits();
        List<CompletableFuture<LoadRun>> results =
                runs.stream().map(JobRun::result).toList();
        runs.forEach(JobRun::stop);
        if (RunWait.haveEnded(results, limits.replies())) {
            return;
        }
        runs.forEach(JobRun::abandon);
        if (!RunWait.haveEnded(results, limits.thread())) {
            runs.forEach(this::giveUp);
        }
    }

    /**
     * Ends a run whose thread does not end. Does not wait for the listeners. The line of the log comes at once, because the
     * process may end before the listeners have returned.
     */
    private void giveUp(JobRun run) {
        LoadRun ended = run.givenUp();
        if (run.slot().giveUp(run, ended)) {
            events.logEnd(ended);
            Thread.ofVirtual().name("millrace-load-given-up").start(() -> publishEnd(run, ended));
        }
        run.answerOnVirtualThread();
    }

    /**
     * Ends the timer, and completes the results of all runs that have ended. Before, waits a moment for the listeners of these
     * runs.
     *
     * @param published completed when the listeners of a job have returned
     */
    void close(List<CompletableFuture<Void>> published) {
        var unused = RunWait.haveEnded(published, environment.limits().listeners());
        timer.shutdownNow();
        unanswered.forEach(JobRun::answerOnVirtualThread);
    }
}
