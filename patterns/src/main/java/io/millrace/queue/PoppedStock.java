// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.Command;
import io.millrace.client.Lists;
import io.millrace.client.RedisClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;

/** A list whose tasks are delivered at most once: the server forgets them when it gives them. */
final class PoppedStock<T> implements Stock<T> {

    private final RedisClient client;
    private final ListKeys keys;
    private final TaskCodec<T> codec;
    private final byte[] queue;
    private final byte[] dead;
    private final String consumer;

    /** Nobody else has them. */
    private final Map<String, byte[]> inHand = new ConcurrentHashMap<>();

    /** Of the thread that takes. */
    private long number;

    PoppedStock(RedisClient client, ListKeys keys, TaskCodec<T> codec, ConsumerOptions options) {
        this.client = client;
        this.keys = keys;
        this.codec = codec;
        this.queue = keys.queue().getBytes(StandardCharsets.UTF_8);
        this.dead = keys.dead().getBytes(StandardCharsets.UTF_8);
        this.consumer = ConsumerName.of(options);
    }

    @Override
    public String name() {
        return keys.queue();
    }

    @Override
    public void open() {}

    /** Waits for the answer even if it is interrupted: what was popped and not read is lost. */
    @Override
    public Taken<T> take(int most) {
        List<byte[]> popped;
        try {
            popped = client.send(Lists.popRight(queue, most)).join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
        List<Received<T>> tasks = new ArrayList<>(popped.size());
        for (byte[] payload : popped) {
            String id = String.format("%s:%012d", consumer, ++number);
            inHand.put(id, payload);
            tasks.add(new Received<>(id, 1, () -> codec.decode().apply(payload)));
        }
        return new Taken<>(tasks, List.of(), 0);
    }

    @Override
    public Taken<T> await(int most, Duration wait) {
        keys.awaitFilled(client, wait);
        return Taken.nothing();
    }

    @Override
    public boolean isEmpty() {
        return client.call(Lists.size(queue)) == 0;
    }

    @Override
    public void renew(List<String> ids) {}

    @Override
    public Optional<Command<Boolean>> settle(Settlement settlement) {
        Optional<byte[]> payload = Optional.ofNullable(inHand.get(settlement.id()));
        return switch (settlement.fate()) {
            case DONE, FAILED, STOPPED -> Optional.empty();
            case UNTOUCHED -> payload.map(bytes -> Lists.pushRight(queue, bytes).as(reply -> true));
            case DEAD -> payload.map(bytes -> Lists.pushLeft(dead, bytes).as(reply -> true));
        };
    }

    @Override
    public void forget(String id) {
        inHand.remove(id);
    }

    @Override
    public boolean deliversAgain() {
        return false;
    }

    @Override
    public void tidy() {}

    /** The server knows nothing of this consumer. */
    @Override
    public void leave() {}
}
