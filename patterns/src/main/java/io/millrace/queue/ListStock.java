// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.Command;
import io.millrace.client.Hashes;
import io.millrace.client.RedisClient;
import io.millrace.client.Replies;
import io.millrace.resp.Reply;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A list whose tasks are delivered at least once; {@link ListScripts} has the design.
 *
 * <p>Waiting is a {@code BLMOVE} of the queue's last element to where it is, which wakes up everybody who waits and changes nothing:
 * so a wait that was interrupted, timed out, or lost its connection can have taken nothing. Only a take does.
 */
final class ListStock<T> implements Stock<T> {

    private final RedisClient client;
    private final ListKeys keys;
    private final TaskCodec<T> codec;
    private final ConsumerOptions options;
    private final String consumer;

    /** What the ids of tasks begin with that are first delivered here: another at each start, so that none comes twice. */
    private final String start;

    private final String hands;

    // Of the thread that takes.
    private long number = 1;
    private long lookedForDeadAt;

    ListStock(RedisClient client, ListKeys keys, TaskCodec<T> codec, ConsumerOptions options) {
        this.client = client;
        this.keys = keys;
        this.codec = codec;
        this.options = options;
        this.consumer = ConsumerName.of(options);
        this.start = options.consumer().isEmpty() ? consumer : consumer + "-" + ConsumerName.chance();
        this.hands = keys.hands(consumer);
        this.lookedForDeadAt = System.nanoTime() - options.lease().toNanos();
    }

    @Override
    public String name() {
        return keys.queue();
    }

    @Override
    public void open() {
        ListScripts.OPEN.run(client, handsKeys(consumer), List.of(consumer, leaseMillis(), start));
    }

    @Override
    public Taken<T> take(int most) {
        takeFromTheDead();
        Reply reply = ListScripts.TAKE.run(
                client,
                List.of(keys.queue(), keys.again(), keys.consumers(), hands, keys.dead()),
                List.of(consumer, leaseMillis(), number, most, options.maxDeliveries(), start));
        number++; // only now: what was lost on the way here is asked for again
        List<Reply> parts = Replies.items(reply);
        return new Taken<>(tasks(Replies.items(parts.getFirst())), aside(Replies.items(parts.getLast())), 0);
    }

    private void takeFromTheDead() {
        long now = System.nanoTime();
        if (now - lookedForDeadAt < options.lease().toNanos() / 4) {
            return;
        }
        Reply dead = ListScripts.DEAD.run(client, List.of(keys.consumers()), List.of());
        Replies.list(Replies::text)
                .apply(dead)
                .forEach(name -> ListScripts.EMPTY_DEAD.run(client, handsKeys(name), List.of(name)));
        lookedForDeadAt = now;
    }

    private List<String> handsKeys(String whose) {
        return List.of(keys.consumers(), keys.hands(whose), keys.again());
    }

    private List<Received<T>> tasks(List<Reply> idsAndHeld) {
        List<Received<T>> tasks = new ArrayList<>(idsAndHeld.size() / 2);
        for (int i = 0; i < idsAndHeld.size(); i += 2) {
            byte[] held = Replies.bytes(idsAndHeld.get(i + 1));
            int space = 0;
            while (held[space] != ' ') {
                space++;
            }
            int deliveries = Integer.parseInt(new String(held, 0, space, StandardCharsets.US_ASCII));
            byte[] payload = Arrays.copyOfRange(held, space + 1, held.length);
            tasks.add(new Received<>(
                    Replies.text(idsAndHeld.get(i)),
                    deliveries,
                    () -> codec.decode().apply(payload)));
        }
        return tasks;
    }

    private static List<DeadLetter> aside(List<Reply> idsAndDeliveries) {
        List<DeadLetter> aside = new ArrayList<>();
        for (int i = 0; i < idsAndDeliveries.size(); i += 2) {
            int deliveries = (int) Replies.integer(idsAndDeliveries.get(i + 1));
            aside.add(DeadLetter.tooOften(Replies.text(idsAndDeliveries.get(i)), deliveries));
        }
        return aside;
    }

    @Override
    public Taken<T> await(int most, Duration wait) {
        keys.awaitFilled(client, wait);
        return Taken.nothing();
    }

    @Override
    public boolean isEmpty() {
        List<String> consumers =
                client.call(Command.of("ZRANGE", keys.consumers(), 0, -1).as(Replies.list(Replies::text)));
        List<String> all = new ArrayList<>(List.of(keys.queue(), keys.again(), keys.consumers()));
        consumers.forEach(name -> all.add(keys.hands(name)));
        return Replies.flag(ListScripts.IS_EMPTY.run(client, all, consumers));
    }

    @Override
    public void renew(List<String> ids) {
        ListScripts.RENEW.run(client, List.of(keys.consumers()), List.of(consumer, leaseMillis()));
    }

    @Override
    public Optional<Command<Boolean>> settle(Settlement settlement) {
        String id = settlement.id();
        return Optional.of(
                switch (settlement.fate()) {
                    case DONE -> Hashes.delete(hands, id).as(Replies::flag);
                    case FAILED -> giveBack(settlement, leaseMillis(), true);
                    case STOPPED -> giveBack(settlement, 0, true);
                    case UNTOUCHED -> giveBack(settlement, 0, false);
                    case DEAD -> ListScripts.BURY.flag(List.of(hands, keys.dead()), List.of(id));
                });
    }

    private Command<Boolean> giveBack(Settlement settlement, long millis, boolean begun) {
        return ListScripts.RETURN.flag(
                List.of(hands, keys.queue(), keys.again()),
                List.of(settlement.id(), settlement.number(), millis, begun ? 1 : 0));
    }

    @Override
    public void forget(String id) {}

    @Override
    public boolean deliversAgain() {
        return true;
    }

    @Override
    public void tidy() {}

    @Override
    public void leave() {
        ListScripts.LEAVE.run(client, handsKeys(consumer), List.of(consumer, start));
    }

    private long leaseMillis() {
        return options.lease().toMillis();
    }
}
