// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.Setting;
import io.millrace.client.Setting.Unit;
import java.time.Duration;
import java.util.Objects;

/**
 * Options of a {@link Worker}. All workers of a queue should use the same {@code maxAttempts}, {@code
 * maxDeaths} and {@code backoff}.
 *
 * @param name the name of the worker: printable ASCII without blanks and without {@code #}, at most 200 characters. An
 *     empty name, the default, is replaced by a unique name of the host, the process and a random number. Two live
 *     workers of a queue cannot have the same name
 * @param concurrency the number of jobs that the worker does at the same time, {@link #CONCURRENCY}
 * @param maxAttempts the number of failed attempts after which a job is dead, {@link #MAX_ATTEMPTS}
 * @param maxDeaths the number of attempts that count as deaths, after which a job is dead, {@link #MAX_DEATHS}
 * @param backoff the delay between two attempts. In a {@link StreamQueue}, the next attempt may begin later:
 *     by up to a quarter of the lease, and by 20 to 50 ms for each 1,000 jobs that wait for their backoff
 * @param timeout the maximum time of one attempt, {@link #TIMEOUT}
 * @param lease the time after which the jobs of a silent worker go to other workers, {@link #LEASE}
 * @param interruptGrace the time in which a job must end after its interrupt, {@link #INTERRUPT_GRACE}
 * @param shutdownGrace the time in which running jobs may end when the worker is closed, {@link #SHUTDOWN_GRACE}
 * @param stopOnShutdown whether the worker is closed when the JVM shuts down, for example after a {@code SIGTERM}. The
 *     default is true
 * @param endWhenEmpty whether the worker ends when the queue has no job: none that waits, is delayed, or runs in any
 *     worker. The default is false: the worker waits for jobs until it is closed
 */
public record WorkerOptions(
        String name,
        int concurrency,
        int maxAttempts,
        int maxDeaths,
        RetryBackoff backoff,
        Duration timeout,
        Duration lease,
        Duration interruptGrace,
        Duration shutdownGrace,
        boolean stopOnShutdown,
        boolean endWhenEmpty) {

    /** Range: 1 to 100,000. Default: 10, as in Sidekiq. Jobs run on virtual threads, so many jobs cost little. */
    public static final Setting<Integer> CONCURRENCY = new Setting<>(
            "concurrency", 1, 100_000, 10, Unit.COUNT, "Number of jobs that a worker does at the same time.");

    /**
     * Range: 1 to 1,000,000. Default: 20. Attempts count that failed: the handler threw an exception, took too long, or
     * the payload could not be decoded. With {@link RetryBackoff#DEFAULT}, the delays before attempt 20 add up to 4 h 4
     * min at least and 8 h 8 min at most. So an outage of an hour does not make jobs dead. Sidekiq makes 25 attempts
     * over about 21 days. Without a limit, a job that always fails would be repeated forever.
     */
    public static final Setting<Integer> MAX_ATTEMPTS = new Setting<>(
            "maxAttempts", 1, 1_000_000, 20, Unit.COUNT, "Number of failed attempts after which a job is dead.");

    /**
     * Range: 1 to 1,000,000. Default: 3. Attempts count whose worker died or was silent for longer than the lease,
     * that ignored their interrupt, or that called {@code System.exit}. A close of the worker does not count. After
     * the first such attempt, a worker does the job while it does no other such job. So an innocent job reaches three
     * deaths only by coincidence, and a guilty job ends three processes.
     */
    public static final Setting<Integer> MAX_DEATHS = new Setting<>(
            "maxDeaths",
            1,
            1_000_000,
            3,
            Unit.COUNT,
            "Number of attempts whose worker died, after which a job is dead.");

    /**
     * Range: 1 ms to 30 days. Default: 1 h, longer than almost every job. Without a limit, a job that hangs would occupy
     * its place forever.
     */
    public static final Setting<Duration> TIMEOUT = new Setting<>(
            "timeout",
            Duration.ofMillis(1),
            Duration.ofDays(30),
            Duration.ofHours(1),
            Unit.TIME,
            "Maximum time of one attempt.");

    /**
     * Range: 100 ms to 24 h. Default: 30 s, the same as the default visibility timeout of Amazon SQS. A worker renews
     * its lease after each third of this time, even while its jobs run. A renewal has a time limit of a sixth of the
     * lease (50 ms to 10 s), and a failed renewal is repeated after a tenth of the lease (at least 50 ms). So the server
     * may be silent for half of the lease. The command timeout of the client does not matter.
     */
    public static final Setting<Duration> LEASE = new Setting<>(
            "lease",
            Duration.ofMillis(100),
            Duration.ofHours(24),
            Duration.ofSeconds(30),
            Unit.TIME,
            "Time after which the jobs of a silent worker go to other workers.");

    /** Range: 1 ms to 24 h. Default: 5 s, as in task flows. A job that runs longer is abandoned, which counts as a death. */
    public static final Setting<Duration> INTERRUPT_GRACE = new Setting<>(
            "interruptGrace",
            Duration.ofMillis(1),
            Duration.ofHours(24),
            Duration.ofSeconds(5),
            Unit.TIME,
            "Time in which a job must end after its interrupt.");

    /** Range: zero to 24 h. Default: 25 s. Kubernetes kills a process 30 s after its {@code SIGTERM}. */
    public static final Setting<Duration> SHUTDOWN_GRACE = new Setting<>(
            "shutdownGrace",
            Duration.ZERO,
            Duration.ofHours(24),
            Duration.ofSeconds(25),
            Unit.TIME,
            "Time in which running jobs may end when a worker is closed.");

    /** The default options. */
    public static final WorkerOptions DEFAULT = new WorkerOptions(
            "",
            CONCURRENCY.defaultValue(),
            MAX_ATTEMPTS.defaultValue(),
            MAX_DEATHS.defaultValue(),
            RetryBackoff.DEFAULT,
            TIMEOUT.defaultValue(),
            LEASE.defaultValue(),
            INTERRUPT_GRACE.defaultValue(),
            SHUTDOWN_GRACE.defaultValue(),
            true,
            false);

    public WorkerOptions {
        if (name.length() > 200 || !name.chars().allMatch(c -> c > 0x20 && c < 0x7f && c != '#')) {
            throw new IllegalArgumentException("the worker name is not valid: name=" + name
                    + ". Use at most 200 printable ASCII characters without blanks and without #, or an empty name.");
        }
        CONCURRENCY.check(concurrency);
        MAX_ATTEMPTS.check(maxAttempts);
        MAX_DEATHS.check(maxDeaths);
        Objects.requireNonNull(backoff, "backoff");
        TIMEOUT.check(timeout);
        LEASE.check(lease);
        INTERRUPT_GRACE.check(interruptGrace);
        SHUTDOWN_GRACE.check(shutdownGrace);
    }

    public WorkerOptions withName(String value) {
        return new WorkerOptions(
                value,
                concurrency,
                maxAttempts,
                maxDeaths,
                backoff,
                timeout,
                lease,
                interruptGrace,
                shutdownGrace,
                stopOnShutdown,
                endWhenEmpty);
    }

    public WorkerOptions withConcurrency(int value) {
        return new WorkerOptions(
                name,
                value,
                maxAttempts,
                maxDeaths,
                backoff,
                timeout,
                lease,
                interruptGrace,
                shutdownGrace,
                stopOnShutdown,
                endWhenEmpty);
    }

    public WorkerOptions withMaxAttempts(int value) {
        return new WorkerOptions(
                name,
                concurrency,
                value,
                maxDeaths,
                backoff,
                timeout,
                lease,
                interruptGrace,
                shutdownGrace,
                stopOnShutdown,
                endWhenEmpty);
    }

    public WorkerOptions withMaxDeaths(int value) {
        return new WorkerOptions(
                name,
                concurrency,
                maxAttempts,
                value,
                backoff,
                timeout,
                lease,
                interruptGrace,
                shutdownGrace,
                stopOnShutdown,
                endWhenEmpty);
    }

    public WorkerOptions withBackoff(RetryBackoff value) {
        return new WorkerOptions(
                name,
                concurrency,
                maxAttempts,
                maxDeaths,
                value,
                timeout,
                lease,
                interruptGrace,
                shutdownGrace,
                stopOnShutdown,
                endWhenEmpty);
    }

    public WorkerOptions withTimeout(Duration value) {
        return new WorkerOptions(
                name,
                concurrency,
                maxAttempts,
                maxDeaths,
                backoff,
                value,
                lease,
                interruptGrace,
                shutdownGrace,
                stopOnShutdown,
                endWhenEmpty);
    }

    public WorkerOptions withLease(Duration value) {
        return new WorkerOptions(
                name,
                concurrency,
                maxAttempts,
                maxDeaths,
                backoff,
                timeout,
                value,
                interruptGrace,
                shutdownGrace,
                stopOnShutdown,
                endWhenEmpty);
    }

    public WorkerOptions withInterruptGrace(Duration value) {
        return new WorkerOptions(
                name,
                concurrency,
                maxAttempts,
                maxDeaths,
                backoff,
                timeout,
                lease,
                value,
                shutdownGrace,
                stopOnShutdown,
                endWhenEmpty);
    }

    public WorkerOptions withShutdownGrace(Duration value) {
        return new WorkerOptions(
                name,
                concurrency,
                maxAttempts,
                maxDeaths,
                backoff,
                timeout,
                lease,
                interruptGrace,
                value,
                stopOnShutdown,
                endWhenEmpty);
    }

    public WorkerOptions withStopOnShutdown(boolean value) {
        return new WorkerOptions(
                name,
                concurrency,
                maxAttempts,
                maxDeaths,
                backoff,
                timeout,
                lease,
                interruptGrace,
                shutdownGrace,
                value,
                endWhenEmpty);
    }

    public WorkerOptions withEndWhenEmpty(boolean value) {
        return new WorkerOptions(
                name,
                concurrency,
                maxAttempts,
                maxDeaths,
                backoff,
                timeout,
                lease,
                interruptGrace,
                shutdownGrace,
                stopOnShutdown,
                value);
    }
}
