// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.load.LoadOptions;
import io.millrace.load.LoadPlan;
import java.time.Duration;
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
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import org.springframework.context.ApplicationEventPublisher;

/**
 * The load jobs of the application: the names below {@code millrace.load.jobs}, and the beans of type {@code LoadPlan}.
 * Thread-safe.
 *
 * <p>A job runs only once at a time in one process: a start while the job runs joins this run. Different jobs may run at
 * the same time. Each run has a separate thread, a {@link LoadStarted} and a {@link LoadEnded}. The events of one job come one
 * at a time and in order: a run publishes its start after the listeners of the end of the run before have returned.
 *
 * <pre>
 *   LoadJobs: names, starts, stops  ->  JobRunner: threads, times, ends  ->  JobRun: one load
 *          |                                                                   |
 *          +------------------> JobSlot: the running run, the last runs <------+
 * </pre>
 */
public final class LoadJobs {

    private final Map<String, JobSlot> slots;
    private final JobRunner runner;
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by {@link #lock}. No run begins after the application has begun to shut down. */
    private boolean closed;

    /** What all jobs use. */
    record JobEnvironment(
            RedisClient client,
            ClientOptions options,
            Duration lease,
            ApplicationEventPublisher events,
            List<LoadObserver> observers,
            StopLimits limits) {

        /** An environment with the default limits. */
        JobEnvironment(
                RedisClient client,
                ClientOptions options,
                Duration lease,
                ApplicationEventPublisher events,
                List<LoadObserver> observers) {
            this(client, options, lease, events, observers, StopLimits.DEFAULT);
        }
    }

    LoadJobs(Collection<LoadJob> jobs, JobEnvironment environment) {
        Map<String, JobSlot> byName = new LinkedHashMap<>();
        jobs.forEach(job -> byName.put(job.name(), new JobSlot(job)));
        this.slots = Collections.unmodifiableMap(byName);
        this.runner = new JobRunner(environment);
        jobs.forEach(runner::announce);
    }

    /** Names of all jobs. */
    public Set<String> names() {
        return slots.keySet();
    }

    /**
     * Runs a job, or joins its current run. Blocks until the run has ended, at most a little longer than its deadline.
     *
     * @throws IllegalArgumentException if there is no such job
     * @throws IllegalStateException if the application shuts down; if an earlier run is blocked and was given up; or if a
     *     listener of an event of this job waits for the job, which would wait for the listener
     * @throws CancellationException if the thread is interrupted while it waits; the job continues
     */
    public LoadRun run(String name) {
        if (slot(name).isPublishingOnCallingThread()) {
            throw new IllegalStateException("a listener of a load job cannot wait for a run of the same job: job="
                    + name + ". Use start, and return.");
        }
        return RunWait.ofCaller(name, start(name));
    }

    /**
     * Starts a job, or joins its current run. Returns at once. The future never fails: {@link LoadRun#isComplete} tells
     * whether the load is complete. The current run may have changed options: {@link LoadRun#kind} tells.
     *
     * <p>The thread of the job completes the future, after the listeners of {@link LoadEnded}. If these do not return before
     * the deadline of the job or the shutdown, or if the thread of the job is blocked, a virtual thread completes the future.
     * So actions that depend on the future may block.
     *
     * @throws IllegalArgumentException if there is no such job
     * @throws IllegalStateException if the application shuts down, or an earlier run is blocked and was given up
     */
    public CompletableFuture<LoadRun> start(String name) {
        return startUnlessClosed(name).orElseThrow(() -> shutsDown(name));
    }

    /** Does the same, but returns empty if the application shuts down. */
    Optional<CompletableFuture<LoadRun>> startUnlessClosed(String name) {
        JobSlot slot = slot(name);
        lock.lock();
        try {
            if (closed) {
                return Optional.empty();
            }
            Optional<JobRun> current = slot.running();
            if (current.filter(run -> run.result().isDone()).isPresent()) {
                throw new IllegalStateException(
                        "an earlier run of the load job is blocked by its source, by the server or"
                                + " by a listener: job=" + name + ". Restart the application.");
            }
            return Optional.of(current.orElseGet(() -> runner.begin(slot, slot.job()))
                    .result()
                    .copy());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Starts a job with changed options, such as a limit or a dry run. Returns at once: empty if the job runs already, or if
     * an earlier run is blocked.
     *
     * <p>A run with changed options is not a run of the whole job. So {@link LoadRun#kind} is {@link RunKind#CHANGED} or {@link
     * RunKind#DRY_RUN}, {@link #last} stays, the meter {@code millrace.load.last.success} stays, and a job with {@code
     * once-per} loads without the fleet. Other options are changed options also if they write the same rows, such as another
     * number of connections. If {@code change} returns equal options, the run is a run of the job as after {@link #start}.
     *
     * @throws IllegalArgumentException if there is no such job, or if {@code change} creates illegal options
     * @throws IllegalStateException if the application shuts down
     */
    public Optional<CompletableFuture<LoadRun>> tryStart(String name, UnaryOperator<LoadOptions> change) {
        JobSlot slot = slot(name);
        LoadJob job = slot.job().with(change);
        lock.lock();
        try {
            if (closed) {
                throw shutsDown(name);
            }
            return slot.running().isPresent()
                    ? Optional.empty()
                    : Optional.of(runner.begin(slot, job).result().copy());
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
        Optional<JobRun> current = unended(name);
        current.ifPresent(this::stop);
        return current.isPresent();
    }

    /**
     * Stops the current run of a job, and does not wait for the replies of the rows in flight: these rows are unconfirmed.
     * Returns at once.
     *
     * @return whether the job was running
     * @throws IllegalArgumentException if there is no such job
     */
    public boolean abandon(String name) {
        Optional<JobRun> current = unended(name);
        current.ifPresent(run -> {
            stop(run);
            run.abandon();
        });
        return current.isPresent();
    }

    private void stop(JobRun run) {
        run.stop();
        runner.limitStop(run);
    }

    /**
     * The last ended run of a job with the options of the job, also if the job runs again. Runs with changed options do not
     * count, because they would hide whether the whole job was loaded: {@link #view} shows the last one.
     *
     * @throws IllegalArgumentException if there is no such job
     */
    public Optional<LoadRun> last(String name) {
        return slot(name).state().last();
    }

    /**
     * The source, the target and the options of a job.
     *
     * @throws IllegalArgumentException if there is no such job
     */
    public LoadPlan plan(String name) {
        return slot(name).job().plan();
    }

    /**
     * The trigger of a job, whether the job runs, and its last runs.
     *
     * @throws IllegalArgumentException if there is no such job
     */
    public LoadView view(String name) {
        return LoadView.of(slot(name));
    }

    /** Whether a job runs at this moment. */
    boolean isRunning(String name) {
        return slot(name).running().isPresent();
    }

    /** The jobs in the order of their names. */
    List<LoadJob> jobs() {
        return slots.values().stream().map(JobSlot::job).toList();
    }

    ScheduledThreadPoolExecutor timer() {
        return runner.timer();
    }

    /**
     * Runs a job while the application starts. If a run with changed options occupies the job, runs the job after this run. An
     * interrupt stops the job, because it comes from a shutdown. Does nothing if the application shuts down.
     *
     * @throws FailedLoadException if the job is required and did not complete
     */
    void runAtStart(LoadJob job) {
        Optional<LoadRun> ended;
        do {
            ended = startUnlessClosed(job.name())
                    .map(result -> RunWait.ofStart(job.name(), result, () -> stop(job.name())));
        } while (ended.isPresent() && ended.get().kind() != RunKind.CONFIGURED);
        ended.filter(run -> job.required() && !run.isComplete()).ifPresent(run -> {
            throw new FailedLoadException(run);
        });
    }

    /**
     * Stops all runs, waits for their ends, and then a moment for the listeners of {@link LoadEnded}. No job can be started
     * after that. A second call does nothing.
     */
    void shutDown() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
        runner.stop(
                slots.values().stream().flatMap(slot -> slot.running().stream()).toList());
        runner.close(slots.values().stream().map(JobSlot::published).toList());
    }

    private JobSlot slot(String name) {
        JobSlot slot = slots.get(Objects.requireNonNull(name, "name"));
        if (slot == null) {
            throw new IllegalArgumentException("there is no such load job: job=" + name + ", jobs=" + slots.keySet()
                    + ". Define " + LoadProperties.prefix(name) + ".*, or a bean of type LoadPlan.");
        }
        return slot;
    }

    /** The run that occupies a job, unless the run was given up. */
    private Optional<JobRun> unended(String name) {
        return slot(name).running().filter(run -> !run.result().isDone());
    }

    private static IllegalStateException shutsDown(String name) {
        return new IllegalStateException("the application shuts down: job=" + name);
    }
}
