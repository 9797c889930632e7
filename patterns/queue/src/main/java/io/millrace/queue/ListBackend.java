// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Scripts;
import io.millrace.resp.Reply;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The backend of a {@link ListQueue}. {@link ListScripts} describes the design.
 *
 * <p>To wait for tasks, a consumer sends a {@code BLMOVE} from the right end of the queue to the right end of the same
 * queue. A pushed task then wakes every waiting consumer, and the command leaves the queue unchanged. So no task is
 * lost if a wait is interrupted, times out or loses its connection.
 */
final class ListBackend<T> implements QueueBackend<T> {

    private final RedisClient client;
    private final ListKeys keys;
    private final Codec<T> codec;
    private final ConsumerOptions options;
    private final String consumer;

    /**
     * The prefix of task ids. A task gets its id from the first consumer that takes the task. Each start of a consumer
     * has a new prefix, so ids are unique.
     */
    private final String start;

    private final String hands;

    // Only the thread of the source accesses the next two fields.
    private long number = 1;
    private long checkedForExpiredAt;

    ListBackend(RedisClient client, ListKeys keys, Codec<T> codec, ConsumerOptions options) {
        this.client = client;
        this.keys = keys;
        this.codec = codec;
        this.options = options;
        this.consumer = ConsumerName.of(options);
        this.start = options.consumer().isEmpty() ? consumer : consumer + "-" + ConsumerName.randomDigits();
        this.hands = keys.pendingOf(consumer);
        this.checkedForExpiredAt = System.nanoTime() - options.lease().toNanos();
    }

    @Override
    public String name() {
        return keys.queue();
    }

    @Override
    public void open() {
        client.call(Scripts.run(ListScripts.OPEN, handsKeys(consumer), List.of(consumer, leaseMillis(), start)));
    }

    @Override
    public FetchResult<T> take(int max) {
        takeOverExpired();
        Reply reply = client.call(Scripts.run(
                ListScripts.TAKE,
                List.of(keys.queue(), keys.redeliveries(), keys.consumers(), hands, keys.dead()),
                List.of(consumer, leaseMillis(), number, max, options.maxDeliveries(), start)));
        number++; // after the reply: a take whose reply was lost is repeated with the same number
        List<Reply> parts = Replies.items(reply);
        return new FetchResult<>(
                tasks(Replies.items(parts.getFirst())), deadLetters(Replies.items(parts.getLast())), 0);
    }

    private void takeOverExpired() {
        long now = System.nanoTime();
        if (now - checkedForExpiredAt < options.lease().toNanos() / 4) {
            return;
        }
        List<String> expired =
                client.call(Scripts.run(ListScripts.EXPIRED_CONSUMERS, List.of(keys.consumers()), List.of())
                        .as(Replies.list(Replies::text)));
        expired.forEach(name -> client.call(Scripts.run(ListScripts.RELEASE_EXPIRED, handsKeys(name), List.of(name))));
        checkedForExpiredAt = now;
    }

    private List<String> handsKeys(String owner) {
        return List.of(keys.consumers(), keys.pendingOf(owner), keys.redeliveries());
    }

    private List<ReceivedTask<T>> tasks(List<Reply> idsAndHeld) {
        List<ReceivedTask<T>> tasks = new ArrayList<>(idsAndHeld.size() / 2);
        for (int i = 0; i < idsAndHeld.size(); i += 2) {
            byte[] held = Replies.bytes(idsAndHeld.get(i + 1));
            int space = 0;
            while (held[space] != ' ') {
                space++;
            }
            int deliveries = Integer.parseInt(new String(held, 0, space, StandardCharsets.US_ASCII));
            int payload = space + 1;
            tasks.add(new ReceivedTask<>(
                    Replies.text(idsAndHeld.get(i)),
                    deliveries,
                    () -> codec.decode(held, payload, held.length - payload)));
        }
        return tasks;
    }

    private static List<DeadLetter> deadLetters(List<Reply> idsAndDeliveries) {
        List<DeadLetter> deadLetters = new ArrayList<>();
        for (int i = 0; i < idsAndDeliveries.size(); i += 2) {
            int deliveries = (int) Replies.integer(idsAndDeliveries.get(i + 1));
            deadLetters.add(DeadLetter.maxDeliveriesReached(Replies.text(idsAndDeliveries.get(i)), deliveries));
        }
        return deadLetters;
    }

    @Override
    public FetchResult<T> await(int max, Duration wait) {
        keys.awaitElement(client, wait);
        return FetchResult.nothing();
    }

    @Override
    public boolean isEmpty() {
        List<String> consumers =
                client.call(Command.of("ZRANGE", keys.consumers(), 0, -1).as(Replies.list(Replies::text)));
        List<String> all = new ArrayList<>(List.of(keys.queue(), keys.redeliveries(), keys.consumers()));
        consumers.forEach(name -> all.add(keys.pendingOf(name)));
        return client.call(Scripts.run(ListScripts.IS_EMPTY, all, consumers).as(Replies::flag));
    }

    @Override
    public void renew(List<String> ids) {
        client.call(Scripts.run(ListScripts.RENEW, List.of(keys.consumers()), List.of(consumer, leaseMillis())));
    }

    @Override
    public Optional<Command<Boolean>> acknowledgement(Acknowledgement acknowledgement) {
        String id = acknowledgement.id();
        return Optional.of(
                switch (acknowledgement.kind()) {
                    case DONE -> Hashes.delete(hands, id).as(Replies::flag);
                    case FAILED -> release(acknowledgement, leaseMillis(), true);
                    case CANCELLED -> release(acknowledgement, 0, true);
                    case NOT_STARTED -> release(acknowledgement, 0, false);
                    case DEAD_LETTERED ->
                        Scripts.eval(ListScripts.DEAD_LETTER, List.of(hands, keys.dead()), List.of(id))
                                .as(Replies::flag);
                });
    }

    private Command<Boolean> release(Acknowledgement acknowledgement, long millis, boolean started) {
        return Scripts.eval(
                        ListScripts.RETURN,
                        List.of(hands, keys.queue(), keys.redeliveries()),
                        List.of(acknowledgement.id(), acknowledgement.number(), millis, started ? 1 : 0))
                .as(Replies::flag);
    }

    @Override
    public void maintain() {}

    @Override
    public void leave() {
        client.call(Scripts.run(ListScripts.LEAVE, handsKeys(consumer), List.of(consumer, start)));
    }

    private long leaseMillis() {
        return options.lease().toMillis();
    }
}
