// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Scripts;
import io.millrace.client.command.StreamRead;
import io.millrace.client.command.Streams;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.resp.Reply;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** The backend of a {@link StreamQueue}: a stream with a consumer group. {@link StreamScripts} describes the design. */
final class StreamBackend<T> implements QueueBackend<T> {

    /** Name of the consumer that owns returned entries. No process uses this name. */
    private static final String RETURNED = "millrace-returned";

    private static final int RENEW_BATCH = 500;

    /** Maximum number of entries that one command trims. Such a command takes the server a few milliseconds. */
    private static final int TRIM_BATCH = 100_000;

    private static final Duration UNREGISTERED_PAUSE = Duration.ofMillis(100);
    private static final String NEW_ENTRIES = ">";
    private static final Function<Reply, Map<String, byte[]>> FIELDS = Replies.map(Replies::text, Replies::bytes);

    /**
     * The stream and the group that a worker reads.
     *
     * @param from the ID after which a new group begins to read
     * @param minEntries the minimum number of entries that trimming keeps. A negative number disables trimming
     * @param maxDead the maximum number of dead letters
     */
    record StreamGroup(String stream, String group, String from, long minEntries, long maxDead) {

        String deadLetters() {
            return KeyNames.additional(stream, "dead");
        }

        /** The key that exists while a live worker uses a name. */
        String lease(String worker) {
            return KeyNames.additional(stream, "lease:" + group + ":" + worker);
        }
    }

    private final RedisClient client;
    private final StreamGroup group;
    private final FieldsCodec<T> codec;
    private final WorkerOptions options;
    private final AbandonedGroups abandonedGroups;
    private final String consumer;
    private final String token = WorkerName.randomDigits();

    private volatile boolean registered;

    // Only the dispatching thread accesses the next fields.
    private long claimedAt;
    private boolean suspectsLeft;

    StreamBackend(RedisClient client, StreamGroup group, FieldsCodec<T> codec, WorkerOptions options) {
        this.client = client;
        this.group = group;
        this.codec = codec;
        this.options = options;
        this.abandonedGroups = new AbandonedGroups(client, group.stream(), group.group());
        this.consumer = options.name().isEmpty() ? "millrace-" + WorkerName.of(options) : options.name();
        this.claimedAt = System.nanoTime() - options.lease().toNanos();
    }

    @Override
    public String name() {
        return group.stream();
    }

    @Override
    public String worker() {
        return consumer;
    }

    @Override
    public Optional<Duration> register() {
        createGroup();
        return renewLease();
    }

    private Optional<Duration> renewLease() {
        long left = client.call(
                Scripts.run(StreamScripts.LEASE, List.of(group.lease(consumer)), List.of(token, leaseMillis()))
                        .as(Replies::integer));
        registered = left == 0;
        return registered ? Optional.empty() : Optional.of(Duration.ofMillis(left));
    }

    private void createGroup() {
        try {
            client.call(Scripts.run(StreamScripts.OPEN, List.of(group.stream()), List.of(group.group(), group.from())));
        } catch (ErrorReplyException e) {
            if (!says(e, "BUSYGROUP")) { // the group exists
                throw e;
            }
        }
    }

    @Override
    public FetchResult<T> fetch(int free, boolean suspectAllowed, Duration wait) {
        if (!registered) {
            return FetchResult.pausing(UNREGISTERED_PAUSE); // the next renewal registers the worker
        }
        return withGroup(
                () -> {
                    FetchResult<T> claimed = claimIfDue(free, suspectAllowed);
                    return claimed.isEmpty() ? read(free, wait) : claimed;
                },
                FetchResult.nothing());
    }

    private FetchResult<T> claimIfDue(int free, boolean suspectAllowed) {
        long now = System.nanoTime();
        boolean due = now - claimedAt >= options.lease().toNanos() / 4;
        if (!due && !(suspectsLeft && suspectAllowed)) {
            return FetchResult.nothing();
        }
        FetchResult<T> claimed = claim(free, suspectAllowed);
        if (claimed.isEmpty()) {
            claimedAt = now;
        }
        return claimed;
    }

    private FetchResult<T> claim(int free, boolean suspectAllowed) {
        List<Reply> parts = client.call(Scripts.run(
                        StreamScripts.CLAIM,
                        List.of(group.stream(), group.deadLetters()),
                        List.of(
                                group.group(),
                                consumer,
                                leaseMillis(),
                                free,
                                suspectAllowed ? 1 : 0,
                                options.maxAttempts(),
                                group.maxDead(),
                                RETURNED))
                .as(Replies::items));
        suspectsLeft = Replies.flag(parts.get(3));
        List<TakenJob<T>> jobs = Replies.list(this::claimed).apply(parts.get(0));
        List<BuriedJob<T>> buried = Replies.list(this::claimed).apply(parts.get(1)).stream()
                .map(job -> new BuriedJob<>(job, job.attempt()))
                .toList();
        return new FetchResult<>(jobs, buried, (int) Replies.integer(parts.get(2)), Duration.ZERO, false);
    }

    private TakenJob<T> claimed(Reply reply) {
        List<Reply> facts = Replies.items(reply);
        return taken(facts.get(0), (int) Replies.integer(facts.get(1)), facts.get(2));
    }

    private TakenJob<T> taken(Reply id, int attempt, Reply fields) {
        String text = Replies.text(id);
        Instant addedAt = Instant.ofEpochMilli(StreamIds.millis(text));
        return new TakenJob<>(
                text, attempt, attempt > 1, addedAt, () -> codec.decode().apply(FIELDS.apply(fields)));
    }

    private FetchResult<T> read(int max, Duration wait) {
        StreamRead<String> read = StreamRead.of(group.stream(), NEW_ENTRIES).limit(max);
        if (!wait.isZero()) {
            read = read.waiting(wait);
        }
        try {
            return FetchResult.of(
                    client.call(Streams.readGroup(group.group(), consumer, read).as(this::firstDelivered)));
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
                jobs.add(taken(parts.getFirst(), 1, parts.getLast()));
            }
        }
        return jobs;
    }

    @Override
    public boolean isEmpty() {
        return withGroup(
                () -> client.call(Scripts.run(StreamScripts.IS_EMPTY, List.of(group.stream()), List.of(group.group()))
                        .as(Replies::flag)),
                false);
    }

    /**
     * Runs {@code action} and returns its result. If the stream or the group no longer exists, creates the stream and
     * the group, and returns {@code later}.
     */
    private <R> R withGroup(Supplier<R> action, R later) {
        try {
            return action.get();
        } catch (ErrorReplyException e) {
            if (!says(e, "NOGROUP") && !says(e, "no such key")) {
                throw e;
            }
            createGroup();
            return later;
        }
    }

    /**
     * Returns whether the error message contains {@code text}. The error code is not compared, because Redis changes
     * the code of an error inside a Lua script.
     */
    private static boolean says(ErrorReplyException e, String text) {
        return String.valueOf(e.getMessage()).contains(text);
    }

    @Override
    public void renew(List<String> ids) {
        renewLease().ifPresent(left -> {
            throw QueueException.nameTaken(name(), consumer, left);
        });
        boolean unused = withGroup(() -> renewEach(ids), true);
    }

    private boolean renewEach(List<String> ids) {
        for (int i = 0; i < ids.size(); i += RENEW_BATCH) {
            List<Object> arguments = new ArrayList<>(List.of(group.group(), consumer));
            arguments.addAll(ids.subList(i, Math.min(i + RENEW_BATCH, ids.size())));
            client.call(Scripts.run(StreamScripts.RENEW, List.of(group.stream()), arguments));
        }
        return true;
    }

    @Override
    public Optional<Command<Boolean>> acknowledgement(Acknowledgement acknowledgement) {
        return switch (acknowledgement.kind()) {
            case DONE ->
                Optional.of(Streams.acknowledge(group.stream(), group.group(), acknowledgement.id())
                        .as(Replies::flag));
            case FAILED -> Optional.empty(); // the lease of the entry is no longer renewed
            case RETURNED -> Optional.of(giveBack(acknowledgement));
            case DEAD -> Optional.of(bury(acknowledgement));
        };
    }

    private Command<Boolean> giveBack(Acknowledgement acknowledgement) {
        return Scripts.eval(
                        StreamScripts.RETURN,
                        List.of(group.stream()),
                        List.of(
                                group.group(),
                                consumer,
                                RETURNED,
                                acknowledgement.id(),
                                acknowledgement.attempt(),
                                leaseMillis(),
                                acknowledgement.attempt() - 1))
                .as(Replies::flag);
    }

    private Command<Boolean> bury(Acknowledgement acknowledgement) {
        return Scripts.eval(
                        StreamScripts.DEAD_LETTER,
                        List.of(group.stream(), group.deadLetters()),
                        List.of(
                                group.group(),
                                consumer,
                                acknowledgement.id(),
                                acknowledgement.attempt(),
                                acknowledgement.reason(),
                                group.maxDead()))
                .as(Replies::flag);
    }

    @Override
    public void settled(Acknowledgement acknowledgement, boolean wasHeld) {}

    @Override
    public List<BuriedJob<T>> maintain() {
        if (group.minEntries() >= 0) {
            while (trim() > 0) {}
            abandonedGroups.logNew();
        }
        return List.of();
    }

    private long trim() {
        return withGroup(
                () -> client.call(Scripts.run(
                                StreamScripts.TRIM, List.of(group.stream()), List.of(group.minEntries(), TRIM_BATCH))
                        .as(Replies::integer)),
                0L);
    }

    @Override
    public void leave() {
        boolean unused = withGroup(
                () -> {
                    client.call(Scripts.run(
                            StreamScripts.LEAVE, List.of(group.stream()), List.of(group.group(), consumer, RETURNED)));
                    return true;
                },
                true);
        client.call(Scripts.run(StreamScripts.END_LEASE, List.of(group.lease(consumer)), List.of(token)));
        List<BuriedJob<T>> unusedBuried = maintain();
    }

    private long leaseMillis() {
        return options.lease().toMillis();
    }
}
