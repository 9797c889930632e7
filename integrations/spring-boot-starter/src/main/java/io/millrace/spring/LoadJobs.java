// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.load.LoadOptions;
import io.millrace.load.LoadPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEventPublisher;

/**
 * The load jobs of the application: the names below {@code millrace.load.jobs}, and the beans of type {@code LoadPlan}.
 * Thread-safe.
 *
 * <p>A job runs only once at a time in one process: a start while the job runs joins this run. Different jobs may run at
 * the same time. Each run has a separate thread, a {@link LoadStarted} and a {@link LoadEnded}.
 *
 * <p>DESIGN. A run ends in one of three ways: its thread returns; {@link #stop}, the deadline or the shutdown stops it, and
 * its thread returns soon; or its thread is blocked by the source or the server. In the last case the timer abandons the
 * load after {@link #DRAIN}, and gives the run up after {@link #LAST_LIMIT}, so that no caller waits without end. A caller
 * waits for the listeners of {@link LoadEnded}, too, at most until the deadline of the job.
 *
 * <pre>
 *   start -> JobRun (thread of the job) -> FleetLoad or Loader -> LoadRun -> last, LoadEnded, callers
 *   timer -> deadline: expire, abandon, give up;   cron: start
 * </pre>
 */
public final class LoadJobs {

    /** Maximum wait for the replies of the rows in flight, after a stop. As long as the command line waits. */
    static final Duration DRAIN = Duration.ofSeconds(20);

    /** Maximum wait for the thread of a load whose connections are closed. */
    static final Duration LAST_LIMIT = Duration.ofSeconds(5);

    private final Map<String, Slot> slots;
    private final JobEnvironment environment;
    private final FleetLoad fleet;
    private final ScheduledThreadPoolExecutor timer;
    private final RunEvents events;
    private final ReentrantLock lock = new ReentrantLock();

    /** The runs whose result is not complete: their threads, or their listeners, have not returned. */
    private final Set<JobRun> unanswered = ConcurrentHashMap.newKeySet();

    /** Guarded by {@link #lock}. */
    private boolean closed;

    /** Number of runs since the start. Guarded by {@link #lock}. */
    private long runs;

    /** What all jobs use. */
    record JobEnvironment(
            RedisClient client,
            ClientOptions options,
            Duration lease,
            ApplicationEventPublisher events,
            List<LoadObserver> observers) {}

    /** A job, and its runs. */
    private static final class Slot {

        final LoadJob job;

        /** The run whose thread has not ended. Guarded by the lock of the jobs. */
        @Nullable
        JobRun running;

        /** The last run that has ended. Set by the thread that ends the run. */
        volatile @Nullable LoadRun last;

        Slot(LoadJob job) {
            this.job = job;
        }
    }

    private record Busy(Slot slot, JobRun run) {}

    LoadJobs(Collection<LoadJob> jobs, JobEnvironment environment) {
        Map<String, Slot> byName = new LinkedHashMap<>();
        jobs.forEach(job -> byName.put(job.name(), new Slot(job)));
        this.slots = Collections.unmodifiableMap(byName);
        this.environment = environment;
        this.events = new RunEvents(environment.events(), environment.observers());
        this.timer = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name("millrace-load-timer").factory());
        this.timer.setRemoveOnCancelPolicy(true);
        this.fleet = new FleetLoad(environment.client(), timer, environment.lease());
        // The meters of a job exist before its first run.
        environment.observers().forEach(observer -> slots.keySet().forEach(observer::listener));
    }

    /** Names of all jobs. */
    public Set<String> names() {
        return slots.keySet();
    }

    /**
     * Runs a job, or joins its current run. Blocks until the run has ended, at most a little longer than its deadline.
     *
     * @throws IllegalArgumentException if there is no such job
     * @throws IllegalStateException if the application shuts down, or an earlier run is blocked and was given up
     * @throws CancellationException if the thread is interrupted while it waits; the job continues
     */
    public LoadRun run(String name) {
        return RunWait.ofCaller(name, start(name));
    }

    /**
     * Starts a job, or joins its current run. Returns at once. The future never fails: {@link LoadRun#isComplete} tells
     * whether the load is complete. The thread of the job completes the future.
     *
     * @throws IllegalArgumentException if there is no such job
     * @throws IllegalStateException if the application shuts down, or an earlier run is blocked and was given up
     */
    public CompletableFuture<LoadRun> start(String name) {
        return startUnlessClosed(name).orElseThrow(() -> shutsDown(name));
    }

    /** Does the same, but returns empty if the application shuts down. */
    Optional<CompletableFuture<LoadRun>> startUnlessClosed(String name) {
        Slot slot = slot(name);
        lock.lock();
        try {
            if (closed) {
                return Optional.empty();
            }
            JobRun current = slot.running;
            if (current == null) {
                current = begin(slot, slot.job);
            } else if (current.result().isDone()) {
                throw new IllegalStateException("an earlier run of the load job is blocked by its source or by the"
                        + " server: job=" + name + ". Restart the application.");
            }
            return Optional.of(current.result().copy());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Starts a job with changed options, such as a limit or a dry run. Returns at once: empty if the job runs already, or if
     * an earlier run is blocked. With changed options, a job with {@code once-per} loads without the fleet, because its report
     * is not the report of the whole job.
     *
     * @throws IllegalArgumentException if there is no such job, or if {@code change} creates illegal options
     * @throws IllegalStateException if the application shuts down
     */
    public Optional<CompletableFuture<LoadRun>> tryStart(String name, UnaryOperator<LoadOptions> change) {
        Slot slot = slot(name);
        LoadJob job = slot.job.with(change);
        lock.lock();
        try {
            if (closed) {
                throw shutsDown(name);
            }
            return slot.running == null ? Optional.of(begin(slot, job).result().copy()) : Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Stops the current run of a job. The run reads no further row, waits for the replies of the rows in flight, and ends
     * with a report. Returns at once.
     *
     * @return whether the job was running
     * @throws IllegalArgumentException if there is no such job
     */
    public boolean stop(String name) {
        JobRun current = running(slot(name));
        if (current == null || current.result().isDone()) {
            return false;
        }
        current.stop();
        limitStop(slot(name), current);
        return true;
    }

    /**
     * Stops the current run of a job, and does not wait for the replies of the rows in flight: these rows are unconfirmed.
     * Returns at once.
     *
     * @return whether the job was running
     * @throws IllegalArgumentException if there is no such job
     */
    public boolean abandon(String name) {
        JobRun current = running(slot(name));
        if (current == null || !stop(name)) {
            return false;
        }
        current.abandon();
        return true;
    }

    /**
     * The last run of a job that has ended, also if the job runs again.
     *
     * @throws IllegalArgumentException if there is no such job
     */
    public Optional<LoadRun> last(String name) {
        return Optional.ofNullable(slot(name).last);
    }

    /**
     * The source, the target and the options of a job.
     *
     * @throws IllegalArgumentException if there is no such job
     */
    public LoadPlan plan(String name) {
        return slot(name).job.plan();
    }

    /**
     * The trigger of a job, whether the job runs, and its last run.
     *
     * @throws IllegalArgumentException if there is no such job
     */
    public LoadView view(String name) {
        return LoadView.of(slot(name).job, this);
    }

    /** Whether a job runs at this moment. */
    boolean isRunning(String name) {
        return running(slot(name)) != null;
    }

    /** The jobs in the order of their names. */
    List<LoadJob> jobs() {
        return slots.values().stream().map(slot -> slot.job).toList();
    }

    ScheduledThreadPoolExecutor timer() {
        return timer;
    }

    /**
     * Runs a job while the application starts. An interrupt stops the job, because it comes from a shutdown. Does nothing
     * if the application shuts down.
     *
     * @throws FailedLoadException if the job is required and did not complete
     */
    void runAtStart(LoadJob job) {
        startUnlessClosed(job.name())
                .map(result -> RunWait.ofStart(job.name(), result, () -> stop(job.name())))
                .ifPresent(run -> {
                    if (!run.isComplete() && job.required()) {
                        throw new FailedLoadException(run);
                    }
                });
    }

    /** Stops all runs and waits for their ends. Then no job can be started. A second call does nothing. */
    void shutDown() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
        stopAll();
        timer.shutdownNow();
        unanswered.forEach(JobRun::answer);
    }

    /** Stops all runs, and waits for their ends at most for {@link #DRAIN} and {@link #LAST_LIMIT}. */
    void stopAll() {
        List<Busy> busy = busy();
        busy.forEach(one -> one.run.stop());
        if (RunWait.haveEnded(busy.stream().map(one -> one.run.result()).toList(), DRAIN)) {
            return;
        }
        busy.forEach(one -> one.run.abandon());
        if (!RunWait.haveEnded(busy.stream().map(one -> one.run.result()).toList(), LAST_LIMIT)) {
            busy.forEach(one -> giveUp(one.slot, one.run));
        }
    }

    private List<Busy> busy() {
        lock.lock();
        try {
            List<Busy> busy = new ArrayList<>();
            for (Slot slot : slots.values()) {
                JobRun run = slot.running;
                if (run != null) {
                    busy.add(new Busy(slot, run));
                }
            }
            return busy;
        } finally {
            lock.unlock();
        }
    }

    private Slot slot(String name) {
        Slot slot = slots.get(Objects.requireNonNull(name, "name"));
        if (slot == null) {
            throw new IllegalArgumentException("there is no such load job: job=" + name + ", jobs=" + slots.keySet()
                    + ". Define " + LoadProperties.prefix(name) + ".*, or a bean of type LoadPlan.");
        }
        return slot;
    }

    private @Nullable JobRun running(Slot slot) {
        lock.lock();
        try {
            return slot.running;
        } finally {
            lock.unlock();
        }
    }

    private static IllegalStateException shutsDown(String name) {
        return new IllegalStateException("the application shuts down: job=" + name);
    }

    /** Starts the thread of a run. The caller holds the lock. */
    private JobRun begin(Slot slot, LoadJob job) {
        JobRun run = new JobRun(job, ++runs, environment.options(), environment.observers());
        Thread thread =
                Thread.ofPlatform().name("millrace-load-" + slot.job.name()).unstarted(() -> execute(slot, run));
        slot.running = run;
        unanswered.add(run);
        var unused = run.result().thenRun(() -> unanswered.remove(run));
        after(slot.job.deadline(), run, () -> {
            run.expire();
            run.answer();
            limitStop(slot, run);
        });
        thread.start();
        return run;
    }

    /** Gives a stopped run up if it does not end. */
    private void limitStop(Slot slot, JobRun run) {
        after(DRAIN, run, run::abandon);
        after(DRAIN.plus(LAST_LIMIT), run, () -> giveUp(slot, run));
    }

    /** Runs {@code action} after {@code delay}, unless the run has ended before. */
    private void after(Duration delay, JobRun run, Runnable action) {
        if (!timer.isShutdown()) {
            ScheduledFuture<?> task = timer.schedule(action, delay.toNanos(), TimeUnit.NANOSECONDS);
            var unused = run.result().whenComplete((ended, failure) -> task.cancel(false));
        }
    }

    private void execute(Slot slot, JobRun run) {
        LoadRun ended;
        try {
            events.started(slot.job.name(), run.number());
            ended = run.job().isShared() ? fleet.run(run) : run.load();
        } catch (RuntimeException | Error failure) {
            ended = run.failed(failure);
        }
        boolean isFirst = run.endOnce(ended);
        lock.lock();
        try {
            slot.running = null;
        } finally {
            lock.unlock();
        }
        if (isFirst) {
            slot.last = ended;
            try {
                events.ended(ended, run.number());
            } finally {
                run.answer();
            }
        }
    }

    /** Ends a run whose thread does not end. The caller does not wait for the listeners. */
    private void giveUp(Slot slot, JobRun run) {
        LoadRun ended = run.givenUp();
        if (run.endOnce(ended)) {
            slot.last = ended;
            Thread.ofVirtual().name("millrace-load-given-up").start(() -> events.ended(ended, run.number()));
        }
        run.answer();
    }
}
