// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.RedisClient;
import io.millrace.client.exception.RedisException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Configures and starts a {@link Worker}. Created by {@link JobQueue#worker} and {@link StreamQueue#worker}. Every
 * setting has a default; {@link WorkerOptions} documents the ranges and the reasons of the defaults. Not thread-safe.
 *
 * @param <T> the type of the payloads
 */
public final class WorkerBuilder<T> {

    private final RedisClient client;
    private final Function<WorkerOptions, QueueBackend<T>> backend;
    private final JobHandler<T> handler;
    private WorkerOptions options;
    private BiConsumer<? super Job<T>, ? super Throwable> onDead = (job, cause) -> {};
    private JobThreads threads;

    WorkerBuilder(
            RedisClient client,
            Function<WorkerOptions, QueueBackend<T>> backend,
            int concurrency,
            JobHandler<T> handler) {
        this.client = client;
        this.backend = backend;
        this.handler = Objects.requireNonNull(handler, "handler");
        this.options = WorkerOptions.DEFAULT.withConcurrency(concurrency);
        this.threads = JobThreads.virtual(handler.getClass().getClassLoader());
    }

    /** Replaces all options, including the concurrency. */
    public WorkerBuilder<T> options(WorkerOptions all) {
        options = Objects.requireNonNull(all, "options");
        return this;
    }

    /** The name of the worker, unique in the queue. Without a name, the worker gets a unique name. */
    public WorkerBuilder<T> name(String name) {
        options = options.withName(name);
        return this;
    }

    /** The number of failed attempts after which a job is dead, {@link WorkerOptions#MAX_ATTEMPTS}. */
    public WorkerBuilder<T> maxAttempts(int attempts) {
        options = options.withMaxAttempts(attempts);
        return this;
    }

    /** The number of attempts that count as deaths, after which a job is dead, {@link WorkerOptions#MAX_DEATHS}. */
    public WorkerBuilder<T> maxDeaths(int deaths) {
        options = options.withMaxDeaths(deaths);
        return this;
    }

    /**
     * The delay between two attempts, {@link RetryBackoff#DEFAULT}. In a {@link StreamQueue}, the next attempt may begin
     * later: by up to a quarter of the lease, and by 20 to 50 ms for each 1,000 jobs that wait for their backoff.
     */
    public WorkerBuilder<T> backoff(RetryBackoff backoff) {
        options = options.withBackoff(backoff);
        return this;
    }

    /** The maximum time of one attempt, {@link WorkerOptions#TIMEOUT}. */
    public WorkerBuilder<T> timeout(Duration timeout) {
        options = options.withTimeout(timeout);
        return this;
    }

    /** The time after which the jobs of a silent worker go to other workers, {@link WorkerOptions#LEASE}. */
    public WorkerBuilder<T> lease(Duration lease) {
        options = options.withLease(lease);
        return this;
    }

    /** The time in which a job must end after its interrupt, {@link WorkerOptions#INTERRUPT_GRACE}. */
    public WorkerBuilder<T> interruptGrace(Duration grace) {
        options = options.withInterruptGrace(grace);
        return this;
    }

    /** The time in which running jobs may end when the worker is closed, {@link WorkerOptions#SHUTDOWN_GRACE}. */
    public WorkerBuilder<T> shutdownGrace(Duration grace) {
        options = options.withShutdownGrace(grace);
        return this;
    }

    /** Whether the worker is closed when the JVM shuts down, for example after a {@code SIGTERM}. Default: true. */
    public WorkerBuilder<T> stopOnShutdown(boolean stop) {
        options = options.withStopOnShutdown(stop);
        return this;
    }

    /**
     * The worker ends when the queue has no job: none that waits, is delayed, waits for its next attempt, or runs in any
     * worker. Dead jobs and definitions of recurring jobs do not count. For a {@link StreamQueue}: when the group has
     * neither new entries nor entries that are not acknowledged. While the worker waits for the end, it asks once a
     * second.
     */
    public WorkerBuilder<T> endWhenEmpty() {
        options = options.withEndWhenEmpty(true);
        return this;
    }

    /**
     * A function that the worker calls when a job is dead, with the cause of the last failure. The call is on the thread
     * of the job, before the job moves to the dead jobs. If the process ends in between, the job is done again and the
     * function is called again. If the worker abandoned the job, or finds a job whose workers died too often, the call
     * is on another thread.
     *
     * <p>The function must end within {@link WorkerOptions#INTERRUPT_GRACE}. Then the worker interrupts the function, and
     * after the same time it abandons the call. The job is dead in each case.
     *
     * <p>The function is not called for a job whose payload cannot be decoded, and not if the reply of the server is lost
     * that names the jobs whose workers died too often. An exception of the function is logged.
     */
    public WorkerBuilder<T> onDead(BiConsumer<? super Job<T>, ? super Throwable> action) {
        onDead = Objects.requireNonNull(action, "onDead");
        return this;
    }

    /**
     * The executor that runs the jobs, each as a task. By default, jobs run on virtual threads, and one thread does several
     * short jobs, one after the other. The executor should run as many tasks as the concurrency at the same time: a job that
     * waits in the executor occupies a place, and if the process dies, this death counts for the job. If the executor rejects a job, the worker logs this, gives the job back
     * without counting the attempt, and waits up to a second before it takes jobs again. The worker interrupts only
     * threads that run a job, and clears the interrupt flag after the job. The worker does not close the executor. Close
     * the worker before the executor.
     */
    public WorkerBuilder<T> executor(Executor own) {
        threads = JobThreads.of(Objects.requireNonNull(own, "executor"));
        return this;
    }

    /**
     * Starts the worker. Blocks until the worker is registered. If a live worker has the same name, waits until the
     * remaining time of its lease is over. This is the case after the crash of a process whose worker had this name. The
     * worker keeps the process alive until the worker is closed.
     *
     * @throws QueueException if another live worker has the name, or the thread was interrupted
     * @throws RedisException if the server cannot be reached, or a key of the queue has another type
     */
    public Worker start() {
        QueueBackend<T> started = backend.apply(options);
        JobRunner.Context<T> context = new JobRunner.Context<>(
                started.name(),
                options,
                handler,
                onDead,
                threads,
                new LimitedLog(started.name(), started.worker()),
                System::nanoTime,
                JobRunner.Context.RANDOM);
        return Worker.start(client, started, context);
    }
}
