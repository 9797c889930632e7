// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Script;
import io.millrace.client.command.Scripts;
import io.millrace.queue.LimitedLog.Event;
import io.millrace.resp.Reply;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/*
 * DESIGN
 *
 * An idle worker sends less than five commands a second: the dispatching thread sends BLMOVE and asks for the pause, the
 * acknowledging thread counts the delayed and the recurring jobs that are due, and the lease keeper renews the lease.
 */

/** The backend of a {@link JobQueue}. {@link JobScripts} and {@link WorkerScripts} describe the keys. */
final class JobBackend<T> implements QueueBackend<T> {

    private static final Duration UNREGISTERED_PAUSE = Duration.ofMillis(100);

    /** Interval in which this worker looks again at the lists of released workers. */
    private static final long REVIEW_NANOS = Duration.ofMinutes(1).toNanos();

    private static final int REVIEW_LIMIT = 1_000;

    private final RedisClient client;
    private final JobKeys keys;
    private final Codec<T> codec;
    private final WorkerOptions options;
    private final long maxDead;
    private final String worker;
    private final String workerId;
    private final byte[] taken;
    private final RenewalCalls renewals;
    private final LeaseState lease;
    private final LimitedLog log;
    private final HeldJobs held = new HeldJobs();
    private final ServerClock clock = new ServerClock();
    private final JobMaintenance maintenance;
    private final JobFetcher<T> fetcher;

    private volatile boolean registered;

    /** The number of suspects, as last read. */
    private final AtomicLong suspects = new AtomicLong();

    private final DroppedJobs dropped;

    /** The workers whose lease had ended at the last renewal. */
    private volatile List<String> expired = List.of();

    /** Only the acknowledging thread accesses this field. */
    private long reviewedAt = System.nanoTime() - REVIEW_NANOS;

    JobBackend(RedisClient client, JobKeys keys, Codec<T> codec, WorkerOptions options, long maxDead) {
        this.client = client;
        this.keys = keys;
        this.codec = codec;
        this.options = options;
        this.maxDead = maxDead;
        this.worker = WorkerName.of(options);
        this.workerId = worker + "#" + WorkerName.randomDigits();
        this.taken = keys.taken(workerId).getBytes(StandardCharsets.UTF_8);
        DedicatedCalls dedicatedCalls = new DedicatedCalls(client, keys.waiting(), worker);
        this.renewals = new RenewalCalls(client, dedicatedCalls, options.lease());
        this.lease = new LeaseState(options.lease(), System::nanoTime);
        this.log = new LimitedLog(keys.waiting(), worker);
        this.dropped = new DroppedJobs(log, maxDead);
        this.maintenance = new JobMaintenance(client, keys, clock);
        this.fetcher = new JobFetcher<>(client, dedicatedCalls, keys, codec, taken, held, suspects);
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
    public boolean isClientClosed() {
        return client.isClosed();
    }

    @Override
    public LeaseState lease() {
        return lease;
    }

    @Override
    public Optional<Duration> register() {
        long left = client.call(Scripts.run(
                        WorkerScripts.REGISTER,
                        List.of(keys.workers(), keys.waiting(), keys.delayed(), keys.suspects(), keys.dead()),
                        List.of(workerId, worker + "#", leaseMillis()))
                .as(Replies::integer));
        registered = left == 0;
        return registered ? Optional.empty() : Optional.of(Duration.ofMillis(left));
    }

    @Override
    public FetchResult<T> fetch(int room, boolean suspectAllowed, Duration wait) {
        if (!registered) {
            return FetchResult.pausing(UNREGISTERED_PAUSE); // the next renewal registers the worker
        }
        return fetcher.fetch(room, suspectAllowed, wait);
    }

    @Override
    public void forgetAllExcept(Set<String> heldIds) {
        fetcher.forgetAllExcept(heldIds);
    }

    @Override
    public boolean isEmpty() {
        List<String> workers =
                client.call(Command.of("ZRANGE", keys.workers(), 0, -1).as(Replies.list(Replies::text)));
        List<String> all = new ArrayList<>(List.of(keys.waiting(), keys.delayed(), keys.suspects(), keys.workers()));
        workers.forEach(id -> all.add(keys.taken(id)));
        return client.call(Scripts.run(WorkerScripts.IS_EMPTY, all, workers).as(Replies::flag));
    }

    @Override
    public void renew(List<String> unusedIds) {
        long sentNanos = System.nanoTime();
        long sentMillis = System.currentTimeMillis();
        List<Reply> parts = Replies.items(renewals.call(
                WorkerScripts.RENEW,
                List.of(keys.workers(), taken, keys.suspects()),
                List.of(workerId, leaseMillis())));
        clock.read(Replies.integer(parts.get(1)), sentNanos, sentMillis);
        if (Replies.integer(parts.get(2)) > held.size()) {
            held.suspectOrphans();
        }
        suspects.set(Replies.integer(parts.get(3)));
        expired = Replies.list(Replies::text).apply(parts.get(4));
        if (Replies.integer(parts.getFirst()) == 0) {
            registered = false;
            register().ifPresent(left -> {
                throw QueueException.nameTaken(name(), worker, left);
            });
        }
    }

    @Override
    public List<BuriedJob<T>> release() {
        List<BuriedJob<T>> buried = new ArrayList<>();
        for (String id : expired) {
            buried.addAll(release(id));
        }
        expired = List.of();
        if (System.nanoTime() - reviewedAt >= REVIEW_NANOS) {
            List<String> released =
                    client.call(Command.of("ZREVRANGEBYSCORE", keys.workers(), "(0", "-inf", "LIMIT", 0, REVIEW_LIMIT)
                            .as(Replies.list(Replies::text)));
            for (String id : released) {
                buried.addAll(release(id));
            }
            reviewedAt = System.nanoTime();
        }
        return buried;
    }

    private List<BuriedJob<T>> release(String id) {
        List<Reply> parts = client.call(Scripts.run(
                        WorkerScripts.RELEASE_EXPIRED,
                        List.of(keys.workers(), keys.taken(id), keys.suspects(), keys.dead(), keys.counts()),
                        List.of(id, options.maxDeaths(), maxDead, WorkerScripts.FORGET_AFTER_MILLIS))
                .as(Replies::items));
        long jobs = Replies.integer(parts.get(0));
        if (jobs > 0) {
            suspects.set(Math.max(suspects.get(), 1)); // the next take corrects the number
            String values = ", silentWorker=" + id.substring(0, Math.max(id.lastIndexOf('#'), 0)) + ", jobs=" + jobs
                    + ". Find out why its process ended or was frozen.";
            log.log(Event.RELEASED, Level.WARNING, "the jobs of a silent worker are done again", values, null);
        }
        dropped.add(Replies.integer(parts.get(1)));
        dropped.log();
        return buried(parts.get(2));
    }

    /** Reads buried elements, each followed by the number of its deaths. */
    private List<BuriedJob<T>> buried(Reply reply) {
        List<Reply> parts = Replies.items(reply);
        List<BuriedJob<T>> buried = new ArrayList<>();
        for (int i = 0; i < parts.size(); i += 2) {
            JobElement element = JobElement.read(Replies.bytes(parts.get(i)), "", 0);
            TakenJob<T> job = JobFetcher.taken(element, element.earlierAttempts(), codec);
            buried.add(new BuriedJob<>(job, (int) Replies.integer(parts.get(i + 1))));
        }
        return buried;
    }

    @Override
    public void maintain() {
        if (maintenance.run()) {
            suspects.set(Math.max(suspects.get(), 1)); // a due job may be a suspect; the next take corrects the number
        }
    }

    @Override
    public Optional<Command<Boolean>> acknowledgement(Acknowledgement acknowledgement) {
        return held.get(acknowledgement.id()).flatMap(element -> command(acknowledgement, element));
    }

    private Optional<Command<Boolean>> command(Acknowledgement acknowledgement, JobElement element) {
        return switch (acknowledgement.kind()) {
            case DONE -> Optional.of(Lists.remove(taken, -1, element.bytes()).as(reply -> Replies.integer(reply) > 0));
            case FAILED, DIED ->
                Optional.of(eval(
                        JobScripts.RETRY,
                        List.of(taken, keys.delayed(), keys.counts()),
                        List.of(
                                element.bytes(),
                                acknowledgement.delay().toMillis(),
                                acknowledgement.kind() == Acknowledgement.AckKind.DIED ? 1 : 0)));
            case DEAD ->
                Optional.of(Scripts.eval(
                                JobScripts.BURY,
                                List.of(taken, keys.dead(), keys.counts()),
                                List.of(element.bytes(), maxDead, acknowledgement.reason()))
                        .as(reply -> dropped.readBuried(Replies.integer(reply))));
            case REJECTED, NOT_BEGUN ->
                Optional.of(eval(
                        JobScripts.GIVE_BACK,
                        List.of(taken, keys.waiting(), keys.suspects()),
                        List.of(element.bytes())));
            case RETURNED -> Optional.empty(); // leave() gives the rest of the list back
        };
    }

    private static Command<Boolean> eval(Script script, List<?> scriptKeys, List<?> arguments) {
        return Scripts.eval(script, scriptKeys, arguments).as(Replies::flag);
    }

    @Override
    public void settled(Acknowledgement acknowledgement, boolean wasHeld) {
        held.remove(acknowledgement.id());
        dropped.log();
        if (wasHeld && acknowledgement.kind() == Acknowledgement.AckKind.DONE) {
            maintenance.succeeded();
        }
    }

    @Override
    public void leave() {
        client.call(Scripts.run(
                WorkerScripts.LEAVE,
                List.of(taken, keys.waiting(), keys.suspects(), keys.workers(), keys.counts()),
                List.of(workerId, fetcher.isFetchLost() ? 1 : 0, maintenance.takeSucceeded())));
    }

    private long leaseMillis() {
        return options.lease().toMillis();
    }
}
