// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.ListEnd;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Replies;
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
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/*
 * DESIGN
 *
 * A worker takes jobs in one of two ways. An idle worker waits in BLMOVE: one command, the server wakes one worker for
 * each push, and the job begins one round trip after the push. A busy worker finds jobs without waiting. After two
 * jobs that were there at once, the worker takes several jobs with one script: two, then four, and so on, at most as
 * many as the worker has room for. When the script finds fewer jobs, the worker waits in BLMOVE again. So an idle
 * worker sends no scripts, and a push costs one BLMOVE.
 *
 * If the reply of a BLMOVE or TAKE is lost, the server may have moved jobs into the list of this worker. Such orphans
 * are found by a comparison of the list with the jobs that the worker knows. The comparison follows a lost reply, and
 * each renewal that reports more jobs in the list than the worker knows.
 */

/** Takes jobs of a {@link JobQueue} for one worker. Only the dispatching thread calls {@link #fetch}. */
final class JobFetcher<T> {

    private static final Duration OUT_OF_MEMORY_PAUSE = Duration.ofMillis(100);

    /** A reply within two round trips and this time came at once. */
    private static final long AT_ONCE_NANOS = 500_000;

    /** The number of jobs in a row that were there at once, before the worker uses the script. */
    private static final int BUSY_STREAK = 2;

    private static final int MAX_STREAK = 17;

    private final RedisClient client;
    private final DedicatedCalls dedicatedCalls;
    private final JobKeys keys;
    private final Codec<T> codec;
    private final byte[] waiting;
    private final byte[] taken;
    private final HeldJobs held;
    private final JobIds ids = new JobIds();
    private final PauseCheck pause;

    /** The number of suspects, as last read. Any thread may write the number. */
    private final AtomicLong suspects;

    /**
     * Whether the reply of a fetch was ever lost. The server may execute this fetch much later, for example when a network
     * delivers it after a partition, and then moves a job to this worker. So no later reply resets this field.
     */
    private volatile boolean fetchLost;

    /**
     * The number of consecutive fetches that returned as many jobs as wanted, at once. Only the dispatching thread
     * accesses this field.
     */
    private int streak;

    JobFetcher(
            RedisClient client,
            DedicatedCalls dedicatedCalls,
            JobKeys keys,
            Codec<T> codec,
            byte[] taken,
            HeldJobs held,
            AtomicLong suspects) {
        this.client = client;
        this.dedicatedCalls = dedicatedCalls;
        this.keys = keys;
        this.codec = codec;
        this.waiting = keys.waiting().getBytes(StandardCharsets.UTF_8);
        this.taken = taken;
        this.held = held;
        this.pause = new PauseCheck(client, keys.paused());
        this.suspects = suspects;
    }

    /** Takes jobs, as {@link QueueBackend#fetch} does. */
    FetchResult<T> fetch(int room, boolean suspectAllowed, Duration wait) {
        if (pause.isPaused()) {
            return FetchResult.paused();
        }
        List<TakenJob<T>> orphans = orphans(room);
        if (!orphans.isEmpty()) {
            return FetchResult.of(orphans);
        }
        boolean suspect = suspectAllowed && (suspects.get() > 0 || wait.isZero());
        try {
            return suspect || wait.isZero() || (streak >= BUSY_STREAK && room > 1)
                    ? take(room, suspect, wait)
                    : await(pause.untilNext(wait));
        } catch (RedisException e) {
            if (e.maybeExecuted()) {
                held.suspectOrphans();
                fetchLost = true;
            }
            throw e;
        }
    }

    /** Forgets jobs, as {@link QueueBackend#forgetAllExcept} does. */
    void forgetAllExcept(Set<String> heldIds) {
        held.retain(heldIds);
        held.suspectOrphans();
        fetchLost = true;
    }

    /** Returns whether the server may move a job to this worker after its end, because a reply was lost. */
    boolean isFetchLost() {
        return fetchLost;
    }

    /** Returns jobs in the list of this worker that this worker did not know. */
    private List<TakenJob<T>> orphans(int room) {
        List<TakenJob<T>> jobs = new ArrayList<>();
        try {
            Optional<byte[]> orphan = nextOrphan();
            while (orphan.isPresent()) {
                identified(orphan.get()).ifPresent(jobs::add);
                orphan = jobs.size() < room ? nextOrphan() : Optional.empty();
            }
        } catch (RuntimeException e) { // the server cannot be reached; the jobs that were found begin
            if (jobs.isEmpty()) {
                throw e;
            }
        }
        return jobs;
    }

    private Optional<byte[]> nextOrphan() {
        return held.nextOrphan(() -> client.call(Lists.range(taken, 0, -1)));
    }

    /** Waits for a job in {@code BLMOVE}. */
    private FetchResult<T> await(Duration wait) {
        long start = System.nanoTime();
        Optional<byte[]> element;
        try {
            element = dedicatedCalls.call(Lists.awaitMove(wait, waiting, ListEnd.RIGHT, taken, ListEnd.LEFT), wait);
        } catch (ErrorReplyException e) {
            return withoutBlocking(e);
        }
        if (element.isEmpty()) {
            streak = 0;
            return FetchResult.nothing();
        }
        boolean atOnce = System.nanoTime() - start <= 2 * pause.roundTripNanos() + AT_ONCE_NANOS;
        streak = atOnce ? Math.min(streak + 1, MAX_STREAK) : 0;
        return FetchResult.of(identified(element.get()).stream().toList());
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

    private FetchResult<T> take(int room, boolean suspect, Duration wait) {
        int wanted = wait.isZero() ? room : Math.min(room, 1 << Math.max(streak - 1, 0));
        List<Reply> parts = client.call(Scripts.run(
                        JobScripts.TAKE,
                        List.of(waiting, taken, keys.suspects()),
                        List.of(wanted, suspect ? 1 : 0, ids.next()))
                .as(Replies::items));
        List<Reply> elements = Replies.items(parts.getFirst());
        if (suspect) {
            suspects.set(Replies.integer(parts.getLast()));
        }
        streak = elements.size() >= wanted ? Math.min(streak + 1, MAX_STREAK) : 0;
        List<TakenJob<T>> jobs = new ArrayList<>(elements.size());
        for (Reply element : elements) {
            jobs.add(held(Replies.bytes(element)));
        }
        return FetchResult.of(jobs);
    }

    /**
     * Records that this worker holds the job of an element. An element without a header first gets a header. Returns
     * empty if the element is no longer in the list of this worker.
     */
    private Optional<TakenJob<T>> identified(byte[] element) {
        if (JobElement.read(element, "", 0).hasHeader()) {
            return Optional.of(held(element));
        }
        try {
            return client.call(Scripts.run(JobScripts.ADD_HEADER, List.of(taken), List.of(element, ids.next()))
                            .as(Replies::optionalBytes))
                    .map(this::held);
        } catch (RuntimeException e) { // the element stays in the list
            held.suspectOrphans();
            throw e;
        }
    }

    private TakenJob<T> held(byte[] bytes) {
        JobElement element = JobElement.read(bytes, ids.next(), System.currentTimeMillis());
        held.add(element);
        return taken(element, element.attempt(), codec);
    }

    /** Returns the job of an element, in the attempt {@code attempt}. */
    static <T> TakenJob<T> taken(JobElement element, int attempt, Codec<T> codec) {
        return new TakenJob<>(
                element.id(),
                attempt,
                element.failures(),
                element.deaths(),
                Instant.ofEpochMilli(element.pushedMillis()),
                () -> element.decode(codec));
    }
}
