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

    private static final String NEW_ENTRIES = ">";
    private static final Function<Reply, Map<String, byte[]>> FIELDS = Replies.map(Replies::text, Replies::bytes);

    /**
     * The stream and the group that a source reads.
     *
     * @param from the ID after which a new group begins to read
     * @param minEntries the minimum number of entries that trimming keeps. A negative number disables trimming
     */
    record StreamGroup(String stream, String group, String from, long minEntries) {

        String deadLetters() {
            return KeyNames.additional(stream, "dead");
        }
    }

    private final RedisClient client;
    private final StreamGroup group;
    private final FieldsCodec<T> codec;
    private final ConsumerOptions options;
    private final String consumer;

    // Only the thread of the source accesses the next two fields.
    private long claimedAt;

    /**
     * The entry ID at which the next {@link #takeOwn} begins. When a source starts, entries may already be pending for
     * its consumer name. This field is empty when the source has taken all these entries.
     */
    private String own = "-";

    StreamBackend(RedisClient client, StreamGroup group, FieldsCodec<T> codec, ConsumerOptions options) {
        this.client = client;
        this.group = group;
        this.codec = codec;
        this.options = options;
        this.consumer = ConsumerName.of(options);
        this.claimedAt = System.nanoTime() - options.lease().toNanos();
    }

    @Override
    public String name() {
        return group.stream();
    }

    @Override
    public void open() {
        try {
            client.call(Scripts.run(StreamScripts.OPEN, List.of(group.stream()), List.of(group.group(), group.from())));
        } catch (ErrorReplyException e) {
            if (!says(e, "BUSYGROUP")) { // the group exists
                throw e;
            }
        }
    }

    @Override
    public FetchResult<T> take(int max) {
        return withGroup(
                () -> {
                    FetchResult<T> fetched = own.isEmpty() ? FetchResult.nothing() : takeOwn(max);
                    if (fetched.isEmpty()) {
                        fetched = claim(max);
                    }
                    return fetched.isEmpty() ? read(max, Duration.ZERO) : fetched;
                },
                FetchResult.nothing());
    }

    /** Takes tasks that an earlier consumer with the same name left pending. */
    private FetchResult<T> takeOwn(int max) {
        List<Reply> parts = claimed(max, consumer, own);
        String last = Replies.text(parts.getLast());
        own = last.isEmpty() ? "" : "(" + last;
        return fetchResult(parts);
    }

    private FetchResult<T> claim(int max) {
        long now = System.nanoTime();
        if (now - claimedAt < options.lease().toNanos() / 4) {
            return FetchResult.nothing();
        }
        FetchResult<T> fetched = fetchResult(claimed(max, "", "-"));
        if (fetched.isEmpty()) {
            claimedAt = now;
        }
        return fetched;
    }

    private List<Reply> claimed(int max, String owner, String from) {
        return client.call(Scripts.run(
                        StreamScripts.CLAIM,
                        List.of(group.stream(), group.deadLetters()),
                        List.of(
                                group.group(),
                                consumer,
                                options.lease().toMillis(),
                                max,
                                options.maxDeliveries(),
                                owner,
                                from,
                                RETURNED))
                .as(Replies::items));
    }

    private FetchResult<T> fetchResult(List<Reply> parts) {
        List<ReceivedTask<T>> tasks = new ArrayList<>();
        for (Reply task : Replies.items(parts.get(0))) {
            List<Reply> facts = Replies.items(task);
            tasks.add(received(facts.get(0), (int) Replies.integer(facts.get(1)), facts.get(2)));
        }
        List<DeadLetter> deadLetters = new ArrayList<>();
        List<Reply> idsAndDeliveries = Replies.items(parts.get(1));
        for (int i = 0; i < idsAndDeliveries.size(); i += 2) {
            int deliveries = (int) Replies.integer(idsAndDeliveries.get(i + 1));
            deadLetters.add(DeadLetter.maxDeliveriesReached(Replies.text(idsAndDeliveries.get(i)), deliveries));
        }
        return new FetchResult<>(tasks, deadLetters, (int) Replies.integer(parts.get(2)));
    }

    private ReceivedTask<T> received(Reply id, int number, Reply fields) {
        return new ReceivedTask<>(Replies.text(id), number, () -> codec.decode().apply(FIELDS.apply(fields)));
    }

    @Override
    public FetchResult<T> await(int max, Duration wait) {
        return withGroup(() -> read(max, wait), FetchResult.nothing());
    }

    private FetchResult<T> read(int max, Duration wait) {
        StreamRead<String> read = StreamRead.of(group.stream(), NEW_ENTRIES).limit(max);
        if (!wait.isZero()) {
            read = read.waiting(wait);
        }
        return client.call(Streams.readGroup(group.group(), consumer, read).as(this::firstDelivered));
    }

    /** Returns the entries of an {@code XREADGROUP} reply, which contains at most one stream. */
    private FetchResult<T> firstDelivered(Reply reply) {
        List<ReceivedTask<T>> tasks = new ArrayList<>();
        for (Reply entries :
                Replies.map(Replies::text, Replies::raw).apply(reply).values()) {
            for (Reply entry : Replies.items(entries)) {
                List<Reply> parts = Replies.items(entry);
                tasks.add(received(parts.getFirst(), 1, parts.getLast()));
            }
        }
        return new FetchResult<>(tasks, List.of(), 0);
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
            open();
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
            case CANCELLED -> Optional.of(release(acknowledgement, acknowledgement.number()));
            case NOT_STARTED -> Optional.of(release(acknowledgement, acknowledgement.number() - 1));
            case DEAD_LETTERED -> Optional.of(bury(acknowledgement));
        };
    }

    private Command<Boolean> release(Acknowledgement acknowledgement, int deliveries) {
        return Scripts.eval(
                        StreamScripts.RETURN,
                        List.of(group.stream()),
                        List.of(
                                group.group(),
                                consumer,
                                RETURNED,
                                acknowledgement.id(),
                                acknowledgement.number(),
                                options.lease().toMillis(),
                                deliveries))
                .as(Replies::flag);
    }

    private Command<Boolean> bury(Acknowledgement acknowledgement) {
        DeadLetter letter = DeadLetter.of(acknowledgement.id(), acknowledgement.number(), acknowledgement.reason());
        return Scripts.eval(
                        StreamScripts.DEAD_LETTER,
                        List.of(group.stream(), group.deadLetters()),
                        List.of(group.group(), consumer, letter.id(), letter.deliveries(), letter.reason()))
                .as(Replies::flag);
    }

    @Override
    public void maintain() {
        if (group.minEntries() >= 0) {
            while (trim() > 0) {}
        }
    }

    private long trim() {
        return client.call(
                Scripts.run(StreamScripts.TRIM, List.of(group.stream()), List.of(group.minEntries(), TRIM_BATCH))
                        .as(Replies::integer));
    }

    @Override
    public void leave() {
        client.call(
                Scripts.run(StreamScripts.LEAVE, List.of(group.stream()), List.of(group.group(), consumer, RETURNED)));
        maintain();
    }
}
