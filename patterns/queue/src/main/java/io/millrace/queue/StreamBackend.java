// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Scripts;
import io.millrace.client.command.Streams;
import io.millrace.client.exception.ErrorReplyException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** The backend of a {@link StreamQueue}: a stream with a consumer group. {@link StreamScripts} describes the design. */
final class StreamBackend<T> implements QueueBackend<T> {

    private static final int RENEW_BATCH = 500;

    /** Maximum number of entries that one command trims. Such a command takes the server a few milliseconds. */
    private static final int TRIM_BATCH = 100_000;

    /** Maximum number of trimming commands in a row. The rest follows after a second. */
    private static final int TRIM_ROUNDS = 10;

    private static final Duration UNREGISTERED_PAUSE = Duration.ofMillis(100);

    private final RedisClient client;
    private final StreamGroup group;
    private final WorkerOptions options;
    private final AbandonedGroups abandonedGroups;
    private final String consumer;
    private final String token = WorkerName.randomDigits();
    private final RenewalCalls renewals;
    private final LeaseState lease;
    private final DroppedJobs dropped;
    private final StreamFetcher<T> fetcher;

    /** The ids of the entries that the worker holds. */
    private final Set<String> held = ConcurrentHashMap.newKeySet();

    private volatile boolean registered;

    /** Only the acknowledging thread accesses this field, and after its end the thread that closes the worker. */
    private long trimmedAt;

    StreamBackend(RedisClient client, StreamGroup group, FieldsCodec<T> codec, WorkerOptions options) {
        this.client = client;
        this.group = group;
        this.options = options;
        this.abandonedGroups = new AbandonedGroups(client, group.stream(), group.group());
        this.consumer = options.name().isEmpty() ? "millrace-" + WorkerName.of(options) : options.name();
        DedicatedCalls dedicatedCalls = new DedicatedCalls(client, group.stream(), consumer);
        this.renewals = new RenewalCalls(client, dedicatedCalls, options.lease());
        this.lease = new LeaseState(options.lease(), System::nanoTime);
        this.dropped = new DroppedJobs(new LimitedLog(group.stream(), consumer), group.maxDead());
        this.fetcher = new StreamFetcher<>(client, dedicatedCalls, group, codec, options, consumer, held, dropped);
        this.trimmedAt = System.nanoTime() - options.lease().toNanos();
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
    public boolean isClientClosed() {
        return client.isClosed();
    }

    @Override
    public LeaseState lease() {
        return lease;
    }

    @Override
    public Optional<Duration> register() {
        createGroup();
        return registered(client.call(Scripts.run(StreamScripts.LEASE, List.of(group.lease(consumer)), leaseArguments())
                .as(Replies::integer)));
    }

    private List<Object> leaseArguments() {
        return List.of(token, options.lease().toMillis());
    }

    /** Converts the remaining lease of another worker, or 0. */
    private Optional<Duration> registered(long left) {
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
    public FetchResult<T> fetch(int room, boolean suspectAllowed, Duration wait) {
        if (!registered) {
            return FetchResult.pausing(UNREGISTERED_PAUSE); // the next renewal registers the worker
        }
        return withGroup(() -> fetcher.fetch(room, suspectAllowed, wait, lease.isSteady()), FetchResult.nothing());
    }

    @Override
    public void forgetAllExcept(Set<String> heldIds) {
        fetcher.forgetAllExcept(heldIds);
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
        long left =
                Replies.integer(renewals.call(StreamScripts.LEASE, List.of(group.lease(consumer)), leaseArguments()));
        registered(left).ifPresent(remaining -> {
            throw QueueException.nameTaken(name(), consumer, remaining);
        });
        boolean unused = withGroup(() -> renewEach(ids), true);
    }

    private boolean renewEach(List<String> ids) {
        for (int i = 0; i < ids.size(); i += RENEW_BATCH) {
            List<Object> arguments = new ArrayList<>(List.of(group.group(), consumer));
            arguments.addAll(ids.subList(i, Math.min(i + RENEW_BATCH, ids.size())));
            var unused = renewals.call(StreamScripts.RENEW, List.of(group.stream()), arguments);
        }
        return true;
    }

    @Override
    public Optional<Command<Boolean>> acknowledgement(Acknowledgement acknowledgement) {
        return Optional.of(
                switch (acknowledgement.kind()) {
                    case DONE -> done(acknowledgement);
                    case FAILED, DIED -> fail(acknowledgement);
                    case RETURNED, REJECTED, NOT_BEGUN ->
                        StreamFetcher.giveBack(
                                group, consumer, options, acknowledgement.id(), acknowledgement.attempt());
                    case DEAD -> bury(acknowledgement);
                });
    }

    private Command<Boolean> done(Acknowledgement acknowledgement) {
        if (acknowledgement.attempt() == 1) {
            return Streams.acknowledge(group.stream(), group.group(), acknowledgement.id())
                    .as(Replies::flag);
        }
        return Scripts.eval(
                        StreamScripts.DONE_REPEATED,
                        List.of(group.stream(), group.failures()),
                        List.of(group.group(), acknowledgement.id()))
                .as(Replies::flag);
    }

    private Command<Boolean> fail(Acknowledgement acknowledgement) {
        return Scripts.eval(
                        StreamScripts.FAIL,
                        List.of(group.stream(), group.failures()),
                        List.of(
                                group.group(),
                                consumer,
                                StreamScripts.FREE,
                                acknowledgement.id(),
                                acknowledgement.attempt(),
                                options.lease().toMillis(),
                                acknowledgement.delay().toMillis(),
                                acknowledgement.kind() == Acknowledgement.AckKind.DIED ? 0 : 1))
                .as(Replies::flag);
    }

    private Command<Boolean> bury(Acknowledgement acknowledgement) {
        return Scripts.eval(
                        StreamScripts.DEAD_LETTER,
                        List.of(group.stream(), group.deadLetters(), group.failures(), group.counts()),
                        List.of(
                                group.group(),
                                consumer,
                                acknowledgement.id(),
                                acknowledgement.attempt(),
                                acknowledgement.reason(),
                                group.maxDead()))
                .as(reply -> dropped.readBuried(Replies.integer(reply)));
    }

    @Override
    public void settled(Acknowledgement acknowledgement, boolean wasHeld) {
        held.remove(acknowledgement.id());
        dropped.log();
    }

    /** A fetch claims the entries of such workers. */
    @Override
    public List<BuriedJob<T>> release() {
        return List.of();
    }

    @Override
    public void maintain() {
        if (group.minEntries() < 0
                || System.nanoTime() - trimmedAt < options.lease().toNanos() / 3) {
            return;
        }
        abandonedGroups.logNew();
        for (int round = 0; round < TRIM_ROUNDS; round++) {
            if (trim() == 0) {
                trimmedAt = System.nanoTime();
                return;
            }
        }
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
                            StreamScripts.LEAVE,
                            List.of(group.stream()),
                            List.of(group.group(), consumer, StreamScripts.FREE)));
                    return true;
                },
                true);
        client.call(Scripts.run(StreamScripts.END_LEASE, List.of(group.lease(consumer)), List.of(token)));
        trimmedAt = System.nanoTime() - options.lease().toNanos();
        maintain();
    }
}
