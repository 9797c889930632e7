// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.Codec;
import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.Result;
import io.millrace.client.command.Command;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Keys;
import io.millrace.client.command.ListEnd;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Replies;
import io.millrace.client.command.ScoredMember;
import io.millrace.client.command.Script;
import io.millrace.client.command.Scripts;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.RedisException;
import io.millrace.resp.Reply;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/*
 * DESIGN
 *
 * A worker takes jobs in one of two ways. An idle worker waits in BLMOVE: one command, the server wakes one worker for
 * each push, and the job begins one round trip after the push. A busy worker finds jobs without waiting. After two
 * jobs that were there at once, the worker takes several jobs with one script: two, then four, and so on, at most as
 * many as places are free. When the script finds fewer jobs, the worker waits in BLMOVE again. So an idle worker sends
 * no scripts, and a push costs one BLMOVE.
 *
 * Once a second, a "tick" asks whether the queue is paused and whether a delayed or recurring job is due. These are
 * three commands. Together with BLMOVE and the renewals, an idle worker needs less than five commands a second.
 *
 * If the reply of a BLMOVE or TAKE is lost, the server may have moved jobs into the list of this worker. Such orphans
 * are found by a comparison of the list with the jobs that the worker knows. The comparison follows a lost reply, and
 * each renewal that reports more jobs in the list than the worker knows.
 */

/** The backend of a {@link JobQueue}. {@link JobScripts} describes the keys. */
final class JobBackend<T> implements QueueBackend<T> {

    private static final long TICK_NANOS = 1_000_000_000;
    private static final Duration OUT_OF_MEMORY_PAUSE = Duration.ofMillis(100);
    private static final Duration UNREGISTERED_PAUSE = Duration.ofMillis(100);

    /** A reply within two round trips and this time came at once. */
    private static final long AT_ONCE_NANOS = 500_000;

    /** The number of jobs in a row that were there at once, before the worker uses the script. */
    private static final int BUSY_STREAK = 2;

    private static final int MAX_STREAK = 17;
    private static final int PROMOTE_LIMIT = 1_000;
    private static final int DUE_RECURRING_LIMIT = 10;

    private final RedisClient client;
    private final JobKeys keys;
    private final Codec<T> codec;
    private final WorkerOptions options;
    private final long maxDead;
    private final String worker;
    private final String workerId;
    private final byte[] waiting;
    private final byte[] taken;
    private final JobIds ids = new JobIds();
    private final RecurringJobs recurring;

    private final HeldJobs held = new HeldJobs();

    /** Jobs that succeeded since the last tick. */
    private final LongAdder succeeded = new LongAdder();

    private volatile boolean registered;

    /** Whether a lost BLMOVE may still move a job to this worker. */
    private volatile boolean fetchLost;

    /** The number of suspects, as last read. */
    private volatile long suspects;

    /** The clock of the server minus the clock of this machine. */
    private volatile long clockOffsetMillis;

    /** The workers whose lease had ended at the last renewal. */
    private volatile List<String> expired = List.of();

    // Only the dispatching thread accesses the next fields.
    private long tickedAt = System.nanoTime() - TICK_NANOS;
    private long roundTripNanos;
    private boolean paused;

    /** The number of consecutive fetches that returned as many jobs as wanted, at once. */
    private int streak;

    JobBackend(RedisClient client, JobKeys keys, Codec<T> codec, WorkerOptions options, long maxDead) {
        this.client = client;
        this.keys = keys;
        this.codec = codec;
        this.options = options;
        this.maxDead = maxDead;
        this.worker = WorkerName.of(options);
        this.workerId = worker + "#" + WorkerName.randomDigits();
        this.waiting = keys.waiting().getBytes(StandardCharsets.UTF_8);
        this.taken = keys.taken(workerId).getBytes(StandardCharsets.UTF_8);
        this.recurring = new RecurringJobs(client, keys);
    }

    @Override
    public String name() {
        return keys.waiting();
    }

    @Override
    public String worker() {
        return worker;
    }

    @Override
    public Optional<Duration> register() {
        long left = client.call(Scripts.run(
                        JobScripts.REGISTER,
                        List.of(keys.workers(), keys.waiting(), keys.delayed(), keys.suspects(), keys.dead()),
                        List.of(workerId, worker + "#", leaseMillis()))
                .as(Replies::integer));
        registered = left == 0;
        return registered ? Optional.empty() : Optional.of(Duration.ofMillis(left));
    }

    @Override
    public FetchResult<T> fetch(int free, boolean suspectAllowed, Duration wait) {
        if (!registered) {
            return FetchResult.pausing(UNREGISTERED_PAUSE); // the next renewal registers the worker
        }
        tickIfDue();
        if (paused) {
            return FetchResult.paused();
        }
        List<TakenJob<T>> orphans = orphans(free);
        if (!orphans.isEmpty()) {
            return FetchResult.of(orphans);
        }
        boolean suspect = suspectAllowed && (suspects > 0 || wait.isZero());
        try {
            return suspect || wait.isZero() || (streak >= BUSY_STREAK && free > 1)
                    ? take(free, suspect, wait)
                    : await(wait);
        } catch (RedisException e) {
            if (e.maybeExecuted()) {
                held.suspectOrphans();
                fetchLost = true;
            }
            throw e;
        }
    }

    private void tickIfDue() {
        long start = System.nanoTime();
        if (start - tickedAt < TICK_NANOS) {
            return;
        }
        long now = serverMillis();
        long done = succeeded.sumThenReset();
        Pipeline pipeline = client.pipeline();
        Result<Long> pauses = pipeline.add(Keys.exist(keys.paused()));
        Result<Long> due =
                pipeline.add(Command.of("ZCOUNT", keys.delayed(), "-inf", now).as(Replies::integer));
        Result<List<ScoredMember<String>>> dueRecurring = pipeline.add(recurring.due(now, DUE_RECURRING_LIMIT));
        Optional<Result<Long>> counted = done == 0
                ? Optional.empty()
                : Optional.of(pipeline.add(Hashes.increment(keys.counts(), "succeeded", done)));
        var unused = pipeline.run();
        roundTripNanos = System.nanoTime() - start;
        if (counted.isPresent() && !counted.get().ok()) {
            succeeded.add(done);
        }
        paused = pauses.value() > 0;
        tickedAt = start;
        if (!paused) {
            promote(due.value());
            recurring.fire(dueRecurring.value(), now);
        }
    }

    /** Makes due jobs wait. */
    private void promote(long due) {
        for (long left = due; left > 0; left -= PROMOTE_LIMIT) {
            long unused = client.call(Scripts.run(
                            JobScripts.PROMOTE,
                            List.of(keys.delayed(), keys.waiting(), keys.suspects()),
                            List.of(PROMOTE_LIMIT))
                    .as(Replies::integer));
        }
        if (due > 0) {
            suspects = Math.max(suspects, 1); // a due job may be a suspect; the next take corrects the number
        }
    }

    /** Returns jobs in the list of this worker that this worker did not know. */
    private List<TakenJob<T>> orphans(int free) {
        List<TakenJob<T>> jobs = new ArrayList<>();
        Optional<JobElement> orphan = held.nextOrphan(() -> client.call(Lists.range(taken, 0, -1)), this::read);
        while (orphan.isPresent()) {
            jobs.add(held(orphan.get()));
            orphan = jobs.size() < free
                    ? held.nextOrphan(() -> client.call(Lists.range(taken, 0, -1)), this::read)
                    : Optional.empty();
        }
        return jobs;
    }

    /** Waits for a job in {@code BLMOVE}. */
    private FetchResult<T> await(Duration wait) {
        long start = System.nanoTime();
        Optional<byte[]> element;
        try {
            element = client.call(Lists.awaitMove(wait, waiting, ListEnd.RIGHT, taken, ListEnd.LEFT));
        } catch (ErrorReplyException e) {
            return withoutBlocking(e);
        }
        fetchLost = false;
        if (element.isEmpty()) {
            streak = 0;
            return FetchResult.nothing();
        }
        boolean atOnce = System.nanoTime() - start <= 2 * roundTripNanos + AT_ONCE_NANOS;
        streak = atOnce ? Math.min(streak + 1, MAX_STREAK) : 0;
        return FetchResult.of(List.of(held(read(element.get()))));
    }

    /** Handles an error reply to {@code BLMOVE}. A server without free memory rejects the command, but not TAKE. */
    private FetchResult<T> withoutBlocking(ErrorReplyException error) {
        return switch (error.code()) {
            case "OOM" -> {
                FetchResult<T> jobs = take(1, false, Duration.ZERO);
                yield jobs.isEmpty() ? FetchResult.pausing(OUT_OF_MEMORY_PAUSE) : jobs;
            }
            case "UNBLOCKED" -> FetchResult.nothing(); // the key was deleted, or the server fails over
            default -> throw error;
        };
    }

    private FetchResult<T> take(int free, boolean suspect, Duration wait) {
        int wanted = wait.isZero() ? free : Math.min(free, 1 << Math.max(streak - 1, 0));
        List<Reply> parts = client.call(
                Scripts.run(JobScripts.TAKE, List.of(waiting, taken, keys.suspects()), List.of(wanted, suspect ? 1 : 0))
                        .as(Replies::items));
        List<Reply> elements = Replies.items(parts.getFirst());
        if (suspect) {
            suspects = Replies.integer(parts.getLast());
        }
        streak = elements.size() >= wanted ? Math.min(streak + 1, MAX_STREAK) : 0;
        List<TakenJob<T>> jobs = new ArrayList<>(elements.size());
        for (Reply element : elements) {
            jobs.add(held(read(Replies.bytes(element))));
        }
        return FetchResult.of(jobs);
    }

    /** Records that this worker holds a job. */
    private TakenJob<T> held(JobElement element) {
        held.add(element);
        return taken(element);
    }

    private TakenJob<T> taken(JobElement element) {
        return new TakenJob<>(
                element.id(),
                element.attempt(),
                element.isSuspect(),
                Instant.ofEpochMilli(element.pushedMillis()),
                () -> element.decode(codec));
    }

    @Override
    public boolean isEmpty() {
        List<String> workers =
                client.call(Command.of("ZRANGE", keys.workers(), 0, -1).as(Replies.list(Replies::text)));
        List<String> all = new ArrayList<>(List.of(keys.waiting(), keys.delayed(), keys.suspects(), keys.workers()));
        workers.forEach(id -> all.add(keys.taken(id)));
        return client.call(Scripts.run(JobScripts.IS_EMPTY, all, workers).as(Replies::flag));
    }

    @Override
    public void renew(List<String> unusedIds) {
        long before = System.currentTimeMillis();
        List<Reply> parts = client.call(Scripts.run(
                        JobScripts.RENEW,
                        List.of(keys.workers(), taken, keys.suspects()),
                        List.of(workerId, leaseMillis()))
                .as(Replies::items));
        clockOffsetMillis = Replies.integer(parts.get(1)) - before;
        if (Replies.integer(parts.get(2)) > held.size()) {
            held.suspectOrphans();
        }
        suspects = Replies.integer(parts.get(3));
        expired = Replies.list(Replies::text).apply(parts.get(4));
        if (Replies.integer(parts.getFirst()) == 0) {
            registered = false;
            register().ifPresent(left -> {
                throw QueueException.nameTaken(name(), worker, left);
            });
        }
    }

    @Override
    public List<BuriedJob<T>> maintain() {
        List<BuriedJob<T>> buried = new ArrayList<>();
        for (String id : expired) {
            List<Reply> parts = client.call(Scripts.run(
                            JobScripts.RELEASE_EXPIRED,
                            List.of(keys.workers(), keys.taken(id), keys.suspects(), keys.dead(), keys.counts()),
                            List.of(id, options.maxAttempts(), maxDead))
                    .as(Replies::items));
            for (int i = 0; i < parts.size(); i += 2) {
                JobElement element = read(Replies.bytes(parts.get(i)));
                buried.add(new BuriedJob<>(taken(element), (int) Replies.integer(parts.get(i + 1))));
            }
            suspects = Math.max(suspects, 1); // the next take corrects the number
        }
        expired = List.of();
        return buried;
    }

    @Override
    public Optional<Command<Boolean>> acknowledgement(Acknowledgement acknowledgement) {
        return held.get(acknowledgement.id()).flatMap(element -> command(acknowledgement, element));
    }

    private Optional<Command<Boolean>> command(Acknowledgement acknowledgement, JobElement element) {
        return switch (acknowledgement.kind()) {
            case DONE -> Optional.of(Lists.remove(taken, -1, element.bytes()).as(reply -> Replies.integer(reply) > 0));
            case FAILED ->
                Optional.of(eval(
                        JobScripts.RETRY,
                        List.of(taken, keys.delayed(), keys.counts()),
                        List.of(
                                element.bytes(),
                                element.id(),
                                acknowledgement.delay().toMillis())));
            case DEAD ->
                Optional.of(eval(
                        JobScripts.BURY,
                        List.of(taken, keys.dead(), keys.counts()),
                        List.of(element.bytes(), element.id(), maxDead, acknowledgement.reason())));
            case RETURNED -> Optional.empty(); // leave() gives the rest of the list back
        };
    }

    private static Command<Boolean> eval(Script script, List<?> scriptKeys, List<?> arguments) {
        return Scripts.eval(script, scriptKeys, arguments).as(Replies::flag);
    }

    @Override
    public void settled(Acknowledgement acknowledgement, boolean wasHeld) {
        held.remove(acknowledgement.id());
        if (wasHeld && acknowledgement.kind() == Acknowledgement.AckKind.DONE) {
            succeeded.increment();
        }
    }

    @Override
    public void leave() {
        client.call(Scripts.run(
                JobScripts.LEAVE,
                List.of(taken, waiting, keys.suspects(), keys.workers(), keys.counts()),
                List.of(workerId, fetchLost ? 1 : 0, succeeded.sumThenReset())));
    }

    private JobElement read(byte[] element) {
        return JobElement.read(element, ids.next(), serverMillis());
    }

    private long serverMillis() {
        return System.currentTimeMillis() + clockOffsetMillis;
    }

    private long leaseMillis() {
        return options.lease().toMillis();
    }
}
