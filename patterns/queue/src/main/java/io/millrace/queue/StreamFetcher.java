// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.Result;
import io.millrace.client.command.Command;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Scripts;
import io.millrace.client.command.StreamRead;
import io.millrace.client.command.Streams;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.RedisException;
import io.millrace.resp.Reply;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/*
 * DESIGN
 *
 * If the reply of a read is lost, the server has delivered entries that this worker does not know. Such orphans are
 * pending for the consumer, and the worker does not hold them. The worker gives them back, so this delivery does not
 * count. The worker looks for orphans before its next read and after it, because the lost read may be executed late.
 *
 * A claim looks at a part of the pending entries. A round of claims has looked at all of them. During a round, the worker
 * waits for new entries only a short time before the next claim. Otherwise many entries that wait for their backoff would
 * delay the due entries behind them by one long wait for each claim. The short wait is a multiple of the time that the last
 * claim took. So the claims of many workers do not occupy the server: when the server becomes slow, the workers claim less.
 */

/** Takes entries of a stream for one worker. Only the dispatching thread uses this class. */
final class StreamFetcher<T> {

    private static final String NEW_ENTRIES = ">";
    private static final String FIRST = "-";
    private static final int ORPHAN_CHECKS = 2;
    private static final int ORPHAN_LIMIT = 1_000;

    /** Minimum of the longest wait for new entries between two claims of a round. */
    private static final long MIN_WAIT_IN_ROUND_NANOS = 20_000_000;

    private static final long MAX_WAIT_IN_ROUND_NANOS = 500_000_000;

    /** The wait between two claims of a round, divided by the time that a claim takes. */
    private static final int WAIT_TO_CLAIM = 20;

    private static final Function<Reply, Map<String, byte[]>> FIELDS = Replies.map(Replies::text, Replies::bytes);

    private final RedisClient client;
    private final DedicatedCalls dedicatedCalls;
    private final StreamGroup group;
    private final FieldsCodec<T> codec;
    private final WorkerOptions options;
    private final String consumer;
    private final PauseCheck pause;

    /** The ids of the entries that the worker holds. Other threads remove ids. */
    private final Set<String> held;

    private final DroppedJobs dropped;

    private final long startedAt = System.nanoTime();

    /** The end of the last round of claims that found nothing to claim at its end. */
    private long claimedAt;

    /** The ID from which the next claim looks at entries. */
    private String claimFrom = FIRST;

    /** Whether the present round of claims has left entries for later. */
    private boolean roundLeft;

    /** Whether the last complete round of claims has left entries for later. */
    private boolean suspectsLeft;

    private int orphanChecks;

    /** The time that the last claim took. */
    private long claimNanos;

    StreamFetcher(
            RedisClient client,
            DedicatedCalls dedicatedCalls,
            StreamGroup group,
            FieldsCodec<T> codec,
            WorkerOptions options,
            String consumer,
            Set<String> held,
            DroppedJobs dropped) {
        this.client = client;
        this.dedicatedCalls = dedicatedCalls;
        this.group = group;
        this.codec = codec;
        this.options = options;
        this.consumer = consumer;
        this.pause = new PauseCheck(client, group.paused());
        this.held = held;
        this.dropped = dropped;
        this.claimedAt = System.nanoTime() - options.lease().toNanos();
    }

    /**
     * Takes entries, as {@link QueueBackend#fetch} does.
     *
     * @param steady whether this worker may take the entries of other workers whose lease has ended
     */
    FetchResult<T> fetch(int room, boolean suspectAllowed, Duration wait, boolean steady) {
        if (pause.isPaused()) {
            return FetchResult.paused();
        }
        if (orphanChecks > 0) {
            giveOrphansBack();
            orphanChecks--;
        }
        try {
            FetchResult<T> claimed = claimIfDue(room, suspectAllowed, steady);
            FetchResult<T> fetched = claimed.isEmpty() ? read(room, suspectAllowed, wait) : claimed;
            fetched.jobs().forEach(job -> held.add(job.id()));
            return fetched;
        } catch (RedisException e) {
            if (e.maybeExecuted()) {
                orphanChecks = ORPHAN_CHECKS;
            }
            throw e;
        }
    }

    /** Forgets entries, as {@link QueueBackend#forgetAllExcept} does. */
    void forgetAllExcept(Set<String> heldIds) {
        held.retainAll(heldIds);
        orphanChecks = ORPHAN_CHECKS;
    }

    /** Gives entries back that are pending for this worker since its start, and that the worker does not hold. */
    private void giveOrphansBack() {
        long aliveMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startedAt);
        List<Reply> pending =
                client.call(Command.of("XPENDING", group.stream(), group.group(), "-", "+", ORPHAN_LIMIT, consumer)
                        .as(Replies::items));
        Pipeline pipeline = client.pipeline();
        for (Reply entry : pending) {
            List<Reply> facts = Replies.items(entry);
            String id = Replies.text(facts.get(0));
            boolean own = Replies.integer(facts.get(2)) <= aliveMillis; // not of an earlier process with this name
            if (own && !held.contains(id)) {
                Result<Boolean> unused =
                        pipeline.add(giveBack(group, consumer, options, id, Replies.integer(facts.get(3))));
            }
        }
        List<Result<?>> results = pipeline.run();
        if (!results.isEmpty()) {
            claimedAt = System.nanoTime() - options.lease().toNanos(); // claims these entries now
        }
        for (Result<?> result : results) {
            Object unused = result.value(); // throws the exception of a failure
        }
    }

    /** Returns a command that gives back delivery number {@code delivery} of an entry, uncounted. */
    static Command<Boolean> giveBack(
            StreamGroup group, String consumer, WorkerOptions options, String id, long delivery) {
        return Scripts.eval(
                        StreamScripts.RETURN,
                        List.of(group.stream()),
                        List.of(
                                group.group(),
                                consumer,
                                StreamScripts.FREE,
                                id,
                                delivery,
                                options.lease().toMillis(),
                                delivery - 1))
                .as(Replies::flag);
    }

    private FetchResult<T> claimIfDue(int room, boolean suspectAllowed, boolean steady) {
        long now = System.nanoTime();
        if (!isClaimDue(now, suspectAllowed)) {
            return FetchResult.nothing();
        }
        FetchResult<T> claimed = claim(room, suspectAllowed, steady);
        claimNanos = System.nanoTime() - now;
        if (claimed.isEmpty() && claimFrom.equals(FIRST)) {
            claimedAt = now;
        }
        return claimed;
    }

    private boolean isClaimDue(long now, boolean suspectAllowed) {
        return now - claimedAt >= options.lease().toNanos() / 4 || (suspectsLeft && suspectAllowed);
    }

    private FetchResult<T> claim(int room, boolean suspectAllowed, boolean steady) {
        List<Object> arguments = new ArrayList<>(List.of(
                group.group(),
                consumer,
                options.lease().toMillis(),
                room,
                suspectAllowed ? 1 : 0,
                options.maxDeaths(),
                group.maxDead(),
                StreamScripts.FREE,
                steady ? 1 : 0,
                claimFrom));
        arguments.addAll(held);
        List<Reply> parts = client.call(Scripts.run(
                        StreamScripts.CLAIM,
                        List.of(group.stream(), group.deadLetters(), group.failures(), group.counts()),
                        arguments)
                .as(Replies::items));
        roundLeft |= Replies.flag(parts.get(3));
        claimFrom = Replies.text(parts.get(5));
        if (claimFrom.equals(FIRST)) {
            suspectsLeft = roundLeft;
            roundLeft = false;
        }
        dropped.add(Replies.integer(parts.get(4)));
        dropped.log();
        List<TakenJob<T>> jobs = Replies.list(this::claimed).apply(parts.get(0));
        List<BuriedJob<T>> buried = Replies.list(this::buried).apply(parts.get(1));
        return new FetchResult<>(jobs, buried, (int) Replies.integer(parts.get(2)), Duration.ZERO, false);
    }

    private TakenJob<T> claimed(Reply reply) {
        List<Reply> facts = Replies.items(reply);
        int failures = (int) Replies.integer(facts.get(3));
        int deaths = (int) Replies.integer(facts.get(4));
        return taken(facts.get(0), (int) Replies.integer(facts.get(1)), failures, deaths, facts.get(2));
    }

    private BuriedJob<T> buried(Reply reply) {
        return new BuriedJob<>(
                claimed(reply), (int) Replies.integer(Replies.items(reply).get(4)));
    }

    private TakenJob<T> taken(Reply id, int attempt, int failures, int deaths, Reply fields) {
        String text = Replies.text(id);
        Instant addedAt = Instant.ofEpochMilli(StreamIds.millis(text));
        return new TakenJob<>(
                text, attempt, failures, deaths, addedAt, () -> codec.decode().apply(FIELDS.apply(fields)));
    }

    private FetchResult<T> read(int max, boolean suspectAllowed, Duration wait) {
        boolean inRound = !claimFrom.equals(FIRST) && isClaimDue(System.nanoTime(), suspectAllowed);
        if (!inRound) {
            return readNew(max, pause.untilNext(wait));
        }
        Duration untilClaim = Duration.ofNanos(
                Math.clamp(WAIT_TO_CLAIM * claimNanos, MIN_WAIT_IN_ROUND_NANOS, MAX_WAIT_IN_ROUND_NANOS));
        FetchResult<T> fetched = readNew(max, shorter(wait, untilClaim));
        // A worker that may not wait here waits after the fetch.
        return wait.isZero() && fetched.isEmpty() ? FetchResult.pausing(untilClaim) : fetched;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private FetchResult<T> readNew(int max, Duration wait) {
        StreamRead<String> read = StreamRead.of(group.stream(), NEW_ENTRIES).limit(max);
        if (!wait.isZero()) {
            read = read.waiting(wait);
        }
        try {
            return FetchResult.of(dedicatedCalls.call(
                    Streams.readGroup(group.group(), consumer, read).as(this::firstDelivered), wait));
        } catch (ErrorReplyException e) {
            if (!e.code().equals("UNBLOCKED")) { // the key was deleted, or the server fails over
                throw e;
            }
            return FetchResult.nothing();
        }
    }

    /** Returns the entries of an {@code XREADGROUP} reply, which contains at most one stream. */
    private List<TakenJob<T>> firstDelivered(Reply reply) {
        List<TakenJob<T>> jobs = new ArrayList<>();
        for (Reply entries :
                Replies.map(Replies::text, Replies::raw).apply(reply).values()) {
            for (Reply entry : Replies.items(entries)) {
                List<Reply> parts = Replies.items(entry);
                jobs.add(taken(parts.getFirst(), 1, 0, 0, parts.getLast()));
            }
        }
        return jobs;
    }
}
