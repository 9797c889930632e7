// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.Codec;
import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.Result;
import io.millrace.client.Setting;
import io.millrace.client.Setting.Unit;
import io.millrace.client.command.Command;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Scripts;
import io.millrace.client.command.Server;
import io.millrace.client.command.SortedSets;
import io.millrace.client.exception.RedisException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

/**
 * A queue of jobs in Redis, for many machines. Each job is done at least once.
 *
 * <pre>{@code
 * JobQueue<Email> queue = JobQueue.of(client, "emails", codec);
 * queue.push(email);
 * try (Worker worker = queue.worker(20, job -> send(job.payload())).start()) {
 *     worker.await();
 * }
 * }</pre>
 *
 * <p>The jobs wait in the list {@code emails}. Other programs can push payloads with {@code LPUSH}. The additional keys
 * of the queue begin with <code>{emails}:</code>. If the name contains a hash tag, the additional keys begin with the
 * unchanged name and a colon. So all keys are in one hash slot. Jobs begin in the order of their pushes. Due, failed and
 * returned jobs come first. A payload must fit into the {@linkplain io.millrace.client.ReplyLimits reply limits} of the
 * clients of all workers. Otherwise a worker that gets the job cannot read it, and takes no other job.
 *
 * <p>A job stays in Redis until it has succeeded or is dead. If a worker does not renew its lease in time, its jobs go to
 * other workers, at the earliest when one of them has renewed its lease without a failure for a whole lease. A job is done
 * twice only in these cases: an attempt failed, its worker died or was silent for longer
 * than the lease, its worker was closed before the job ended, its worker could not tell the server the end of the job, or
 * the server lost the acknowledgement in a crash or a failover. In a crash or a failover, a server can also lose jobs.
 *
 * <p>Thread-safe. The queue does not close the client.
 *
 * @param <T> the type of the payloads
 */
public final class JobQueue<T> {

    /**
     * Range: 0 to 1,000,000,000. Default: 10,000. When there are more dead jobs, the oldest are removed, counted and
     * logged. With 0, no dead job is kept. Without a limit, a faulty program could fill the memory of the server.
     */
    public static final Setting<Long> MAX_DEAD = new Setting<>(
            "maxDead", 0L, 1_000_000_000L, 10_000L, Unit.COUNT, "Maximum number of dead jobs that are kept.");

    private static final int MAX_LISTED = 100_000;

    /** Maximum number of pushes that one pipeline holds. */
    private static final int PUSH_BATCH = 10_000;

    private final RedisClient client;
    private final JobKeys keys;
    private final Codec<T> codec;
    private final long maxDead;
    private final JobIds ids;
    private final byte[] waiting;

    private JobQueue(RedisClient client, JobKeys keys, Codec<T> codec, long maxDead, JobIds ids) {
        this.client = client;
        this.keys = keys;
        this.codec = codec;
        this.maxDead = maxDead;
        this.ids = ids;
        this.waiting = keys.waiting().getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Returns the queue {@code name}, which need not exist. If {@code codec} cannot encode a payload, the caller of {@link
     * #push(Object)} receives the exception. If {@code codec} cannot decode a payload, the attempt has failed: the job is
     * done again after the backoff, and is dead after its last attempt.
     *
     * @throws IllegalArgumentException if {@code name} is empty, or has a closing brace but no hash tag
     */
    public static <T> JobQueue<T> of(RedisClient client, String name, Codec<T> codec) {
        Objects.requireNonNull(client, "client");
        Objects.requireNonNull(codec, "codec");
        return new JobQueue<>(client, new JobKeys(name), codec, MAX_DEAD.defaultValue(), new JobIds());
    }

    /** Returns a copy whose workers keep at most {@code jobs} dead jobs, {@link #MAX_DEAD}. */
    public JobQueue<T> maxDead(long jobs) {
        return new JobQueue<>(client, keys, codec, MAX_DEAD.check(jobs), ids);
    }

    /** Returns the name of the queue. */
    public String name() {
        return keys.waiting();
    }

    /**
     * Pushes a job that is due at once. When the method returns, the job is in the queue. Returns the id of the job.
     *
     * @throws RedisException if the push failed or its outcome is unknown. {@link RedisException#maybeExecuted} tells
     *     whether the job may be in the queue; a second push could then push the job twice
     */
    public String push(T payload) {
        return push(payload, JobOptions.now());
    }

    /**
     * Pushes a job that is due later. Returns the id of the job.
     *
     * @throws RedisException as {@link #push(Object)}
     */
    public String push(T payload, JobOptions options) {
        String id = ids.next();
        client.call(command(id, payload, options));
        return id;
    }

    /**
     * Pushes jobs that are due at once, in order. Sends the jobs without waiting for each reply, and waits for all
     * replies. Returns the ids, in order. If the codec cannot encode a payload, no job is pushed.
     *
     * @throws RedisException if a push failed or its outcome is unknown. Other jobs may have been pushed, before and after
     *     the failed one
     */
    public List<String> pushAll(Collection<? extends T> payloads) {
        return pushAll(payloads, JobOptions.now());
    }

    /** Pushes jobs that are due later, as {@link #pushAll(Collection)} does. */
    public List<String> pushAll(Collection<? extends T> payloads, JobOptions options) {
        List<String> pushed = new ArrayList<>(payloads.size());
        List<Command<Long>> commands = new ArrayList<>(payloads.size());
        for (T payload : payloads) {
            String id = ids.next();
            commands.add(command(id, payload, options));
            pushed.add(id);
        }
        Pipeline pipeline = client.pipeline();
        for (int i = 0; i < commands.size(); i++) {
            Result<Long> unused = pipeline.add(commands.get(i));
            if ((i + 1) % PUSH_BATCH == 0) {
                throwFirstFailure(pipeline.run());
            }
        }
        throwFirstFailure(pipeline.run());
        return pushed;
    }

    private static void throwFirstFailure(List<Result<?>> results) {
        for (Result<?> result : results) {
            if (!result.ok()) {
                Object unused = result.value(); // throws the exception of the failure
            }
        }
    }

    private Command<Long> command(String id, T payload, JobOptions options) {
        byte[] element = JobElement.encode(id, System.currentTimeMillis(), codec.encode(payload));
        return switch (options) {
            case JobOptions.Now now -> Lists.pushLeft(waiting, element);
            case JobOptions.After(Duration delay) ->
                Scripts.eval(JobScripts.PUSH_AFTER, List.of(keys.delayed()), List.of(delay.toMillis(), element))
                        .as(Replies::integer);
            case JobOptions.At(Instant time) ->
                SortedSets.add(keys.delayed().getBytes(StandardCharsets.UTF_8), (double) time.toEpochMilli(), element);
        };
    }

    /**
     * Returns a builder of a worker. The worker takes jobs after {@link WorkerBuilder#start}.
     *
     * @param concurrency the number of jobs that the worker does at the same time, {@link WorkerOptions#CONCURRENCY}
     */
    public WorkerBuilder<T> worker(int concurrency, JobHandler<T> handler) {
        return new WorkerBuilder<>(
                client, options -> new JobBackend<>(client, keys, codec, options, maxDead), concurrency, handler);
    }

    /**
     * Defines a recurring job. Any worker of the queue pushes {@code payload} at each time of {@code cron}, within about
     * one second, once for all workers. A worker does this also while all its places are occupied. If several times pass
     * while no worker runs, the job is pushed once. While the last push waits, for example because the queue is paused, the
     * times are left out. So one push waits at most, or one for each 100,000 waiting jobs. A push that runs, or waits for
     * its next attempt after a failure, does not hold the next one back.
     *
     * <p>If the same definition exists, the method does nothing. So a program can call the method at each start. A
     * different definition with this name replaces the existing one. {@link #cancelRecurring} removes a definition, and
     * {@link #recurringJobs} lists the definitions.
     *
     * @param recurringName the name of the recurring job, unique in the queue
     */
    public void recurring(String recurringName, Cron cron, T payload) {
        Objects.requireNonNull(recurringName, "recurringName");
        new RecurringJobs(client, keys).define(recurringName, cron, codec.encode(payload), client.call(Server.time()));
    }

    /** Removes a recurring job. Jobs that were pushed before stay in the queue. Returns whether the job was defined. */
    public boolean cancelRecurring(String recurringName) {
        return new RecurringJobs(client, keys).cancel(recurringName);
    }

    /** Returns the recurring jobs, in the order of their next times. */
    public List<RecurringJob> recurringJobs() {
        return new RecurringJobs(client, keys).all();
    }

    /**
     * Pauses the queue: after about one second, all workers take no more jobs. Running jobs continue, and producers can push.
     * The pause lasts until {@link #resume}, also over restarts of workers.
     */
    public void pause() {
        control().pause();
    }

    /** Ends the pause. Workers take jobs again after about one second. */
    public void resume() {
        control().resume();
    }

    /** Returns the number of jobs that wait for a worker, without delayed jobs. One cheap command. */
    public long size() {
        return client.call(Lists.size(waiting));
    }

    /** Returns the state of the queue: numbers of jobs, workers and counters. */
    public QueueStatus status() {
        return control().status();
    }

    /**
     * Returns the waiting jobs that are taken next, without removing them. Due jobs and suspects are taken before them.
     * The result contains no suspects and no delayed jobs; {@link #status} has their numbers.
     *
     * @param limit maximum number of jobs, 1 to 100,000
     * @throws RuntimeException of the codec, if a payload cannot be decoded
     */
    public List<Job<T>> peek(int limit) {
        return control().peek((int) Setting.checkArgument("limit", limit, 1, MAX_LISTED), codec);
    }

    /**
     * Returns the dead jobs, the newest first.
     *
     * @param limit maximum number of jobs, 1 to 100,000
     */
    public List<DeadJob> dead(int limit) {
        return control().dead((int) Setting.checkArgument("limit", limit, 1, MAX_LISTED));
    }

    /**
     * Makes dead jobs wait again, the oldest first. Their attempts are counted from 1 again. Returns the number of jobs.
     *
     * @param limit maximum number of jobs, at least 1
     */
    public long redrive(long limit) {
        return control().redrive(Setting.checkArgument("limit", limit, 1L, Long.MAX_VALUE));
    }

    /** Makes the dead job {@code id} wait again. Returns false if there is no such dead job. */
    public boolean redrive(String id) {
        return control().redrive(id);
    }

    /** Removes all jobs of a part of the queue. Running jobs and recurring jobs stay. Returns the number of jobs. */
    public long purge(QueuePart part) {
        return control().purge(part);
    }

    /**
     * Deletes the queue: all jobs, recurring jobs, counters and the pause. Close the workers first: a running worker
     * registers again within a third of its lease.
     */
    public void delete() {
        control().delete();
    }

    private QueueControl control() {
        return new QueueControl(client, keys);
    }
}
