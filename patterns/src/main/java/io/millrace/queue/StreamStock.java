// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.Command;
import io.millrace.client.ErrorReplyException;
import io.millrace.client.RedisClient;
import io.millrace.client.Replies;
import io.millrace.client.StreamRead;
import io.millrace.client.Streams;
import io.millrace.resp.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** A stream with a group of consumers; {@link StreamScripts} has the design. */
final class StreamStock<T> implements Stock<T> {

    /** In whose hands is what was given back. */
    private static final String NOBODY = "millrace-returned";

    private static final int RENEWED_AT_ONCE = 500;

    /** A few milliseconds of the server's time. */
    private static final int TRIMMED_AT_ONCE = 100_000;

    private static final String NEW_ENTRIES = ">";
    private static final Function<Reply, Map<String, byte[]>> FIELDS = Replies.map(Replies::text, Replies::bytes);

    /**
     * What it reads.
     *
     * @param from the ID after which a group begins that is not there yet
     * @param keptAtLeast entries that stay though everybody is done with them; negative if nothing is trimmed
     */
    record Place(String stream, String group, String from, long keptAtLeast) {

        String dead() {
            return KeyNames.beside(stream, "dead");
        }
    }

    private final RedisClient client;
    private final Place place;
    private final FieldsCodec<T> codec;
    private final ConsumerOptions options;
    private final String consumer;

    // Of the thread that takes.
    private long claimedAt;

    /** From where the entries are looked at that this consumer had before it was started; empty when all are. */
    private String own = "-";

    StreamStock(RedisClient client, Place place, FieldsCodec<T> codec, ConsumerOptions options) {
        this.client = client;
        this.place = place;
        this.codec = codec;
        this.options = options;
        this.consumer = ConsumerName.of(options);
        this.claimedAt = System.nanoTime() - options.lease().toNanos();
    }

    @Override
    public String name() {
        return place.stream();
    }

    @Override
    public void open() {
        try {
            StreamScripts.OPEN.run(client, List.of(place.stream()), List.of(place.group(), place.from()));
        } catch (ErrorReplyException e) {
            if (!says(e, "BUSYGROUP")) { // it is there
                throw e;
            }
        }
    }

    @Override
    public Taken<T> take(int most) {
        return withGroup(
                () -> {
                    Taken<T> taken = own.isEmpty() ? Taken.nothing() : takeOwn(most);
                    if (taken.isEmpty()) {
                        taken = claim(most);
                    }
                    return taken.isEmpty() ? read(most, Duration.ZERO) : taken;
                },
                Taken.nothing());
    }

    /** What a predecessor of the same name had in hand. */
    private Taken<T> takeOwn(int most) {
        List<Reply> parts = claimed(most, consumer, own);
        String last = Replies.text(parts.getLast());
        own = last.isEmpty() ? "" : "(" + last;
        return taken(parts);
    }

    private Taken<T> claim(int most) {
        long now = System.nanoTime();
        if (now - claimedAt < options.lease().toNanos() / 4) {
            return Taken.nothing();
        }
        Taken<T> taken = taken(claimed(most, "", "-"));
        if (taken.isEmpty()) {
            claimedAt = now;
        }
        return taken;
    }

    private List<Reply> claimed(int most, String whose, String from) {
        Reply reply = StreamScripts.CLAIM.run(
                client,
                List.of(place.stream(), place.dead()),
                List.of(
                        place.group(),
                        consumer,
                        options.lease().toMillis(),
                        most,
                        options.maxDeliveries(),
                        whose,
                        from,
                        NOBODY));
        return Replies.items(reply);
    }

    private Taken<T> taken(List<Reply> parts) {
        List<Received<T>> tasks = new ArrayList<>();
        for (Reply task : Replies.items(parts.get(0))) {
            List<Reply> facts = Replies.items(task);
            tasks.add(received(facts.get(0), (int) Replies.integer(facts.get(1)), facts.get(2)));
        }
        List<DeadLetter> aside = new ArrayList<>();
        List<Reply> idsAndDeliveries = Replies.items(parts.get(1));
        for (int i = 0; i < idsAndDeliveries.size(); i += 2) {
            int deliveries = (int) Replies.integer(idsAndDeliveries.get(i + 1));
            aside.add(DeadLetter.tooOften(Replies.text(idsAndDeliveries.get(i)), deliveries));
        }
        return new Taken<>(tasks, aside, (int) Replies.integer(parts.get(2)));
    }

    private Received<T> received(Reply id, int number, Reply fields) {
        return new Received<>(Replies.text(id), number, () -> codec.decode().apply(FIELDS.apply(fields)));
    }

    @Override
    public Taken<T> await(int most, Duration wait) {
        return withGroup(() -> read(most, wait), Taken.nothing());
    }

    private Taken<T> read(int most, Duration wait) {
        StreamRead<String> read = StreamRead.of(place.stream(), NEW_ENTRIES).limit(most);
        if (!wait.isZero()) {
            read = read.waiting(wait);
        }
        return client.call(Streams.readGroup(place.group(), consumer, read).as(this::firstDelivered));
    }

    /** Of a reply that has at most one stream: its entries. */
    private Taken<T> firstDelivered(Reply reply) {
        List<Received<T>> tasks = new ArrayList<>();
        for (Reply entries :
                Replies.map(Replies::text, Replies::raw).apply(reply).values()) {
            for (Reply entry : Replies.items(entries)) {
                List<Reply> parts = Replies.items(entry);
                tasks.add(received(parts.getFirst(), 1, parts.getLast()));
            }
        }
        return new Taken<>(tasks, List.of(), 0);
    }

    @Override
    public boolean isEmpty() {
        return withGroup(
                () -> Replies.flag(StreamScripts.IS_EMPTY.run(client, List.of(place.stream()), List.of(place.group()))),
                false);
    }

    /** Makes the group again if it has gone, with its stream or by itself, and comes back later. */
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

    /** Looked for in the message: the code differs where an error comes out of a script. */
    private static boolean says(ErrorReplyException e, String what) {
        return String.valueOf(e.getMessage()).contains(what);
    }

    @Override
    public void renew(List<String> ids) {
        boolean unused = withGroup(() -> renewEach(ids), true);
    }

    private boolean renewEach(List<String> ids) {
        for (int i = 0; i < ids.size(); i += RENEWED_AT_ONCE) {
            List<Object> arguments = new ArrayList<>(List.of(place.group(), consumer));
            arguments.addAll(ids.subList(i, Math.min(i + RENEWED_AT_ONCE, ids.size())));
            StreamScripts.RENEW.run(client, List.of(place.stream()), arguments);
        }
        return true;
    }

    @Override
    public Optional<Command<Boolean>> settle(Settlement settlement) {
        return switch (settlement.fate()) {
            case DONE ->
                Optional.of(Streams.acknowledge(place.stream(), place.group(), settlement.id())
                        .as(Replies::flag));
            case FAILED -> Optional.empty(); // nobody speaks up for it any more
            case STOPPED -> Optional.of(giveBack(settlement, settlement.number()));
            case UNTOUCHED -> Optional.of(giveBack(settlement, settlement.number() - 1));
            case DEAD -> Optional.of(bury(settlement));
        };
    }

    private Command<Boolean> giveBack(Settlement settlement, int deliveries) {
        return StreamScripts.RETURN.flag(
                List.of(place.stream()),
                List.of(
                        place.group(),
                        consumer,
                        NOBODY,
                        settlement.id(),
                        settlement.number(),
                        options.lease().toMillis(),
                        deliveries));
    }

    private Command<Boolean> bury(Settlement settlement) {
        DeadLetter letter = DeadLetter.of(settlement.id(), settlement.number(), settlement.reason());
        return StreamScripts.BURY.flag(
                List.of(place.stream(), place.dead()),
                List.of(place.group(), consumer, letter.id(), letter.deliveries(), letter.reason()));
    }

    @Override
    public void forget(String id) {}

    @Override
    public boolean deliversAgain() {
        return true;
    }

    @Override
    public void tidy() {
        if (place.keptAtLeast() >= 0) {
            while (trim() > 0) {}
        }
    }

    private long trim() {
        return Replies.integer(
                StreamScripts.TRIM.run(client, List.of(place.stream()), List.of(place.keptAtLeast(), TRIMMED_AT_ONCE)));
    }

    @Override
    public void leave() {
        StreamScripts.LEAVE.run(client, List.of(place.stream()), List.of(place.group(), consumer, NOBODY));
        tidy();
    }
}
