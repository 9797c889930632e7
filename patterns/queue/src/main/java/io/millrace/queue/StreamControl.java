// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Scripts;
import io.millrace.client.command.Streams;
import io.millrace.client.command.Strings;
import io.millrace.resp.Reply;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** What an operator does with a {@link StreamQueue}: pausing, reading, redriving and removing. */
final class StreamControl {

    private static final int REDRIVE_BATCH = 100;
    private static final String OWN_FIELDS = "millrace-";
    private static final String PACKED_FIELDS = "millrace-fields";
    private static final Function<Reply, Map<String, byte[]>> FIELDS = Replies.map(Replies::text, Replies::bytes);

    private final RedisClient client;
    private final StreamGroup keys;

    StreamControl(RedisClient client, StreamGroup keys) {
        this.client = client;
        this.keys = keys;
    }

    void pause() {
        client.call(Strings.set(keys.paused(), "paused"));
    }

    void resume() {
        client.call(Keys.delete(keys.paused()));
    }

    StreamStatus status() {
        return new StreamStatus(
                keys.stream(),
                client.call(Keys.exist(keys.paused())) > 0,
                client.call(Streams.size(keys.stream())),
                client.call(Streams.size(keys.deadLetters())),
                client.call(Hashes.get(keys.counts(), "dropped"))
                        .map(Long::parseLong)
                        .orElse(0L),
                new StreamGroupReader(client, keys.stream()).groups());
    }

    List<DeadLetter> dead(int limit) {
        return client.call(Command.of("XREVRANGE", keys.deadLetters(), "+", "-", "COUNT", limit)
                .as(Replies.list(StreamControl::letter)));
    }

    private static DeadLetter letter(Reply reply) {
        List<Reply> parts = Replies.items(reply);
        String id = Replies.text(parts.getFirst());
        Map<String, byte[]> all = FIELDS.apply(parts.getLast());
        Map<String, byte[]> original = new LinkedHashMap<>();
        all.forEach((name, value) -> {
            if (!name.startsWith(OWN_FIELDS) || name.equals(PACKED_FIELDS)) {
                original.put(name, value);
            }
        });
        String deliveries = text(all, "millrace-deliveries");
        return new DeadLetter(
                id,
                text(all, "millrace-id"),
                original,
                text(all, "millrace-group"),
                deliveries.matches("\\d{1,18}") ? Long.parseLong(deliveries) : 0,
                text(all, "millrace-reason"),
                Instant.ofEpochMilli(StreamIds.millis(id)));
    }

    private static String text(Map<String, byte[]> fields, String name) {
        return new String(fields.getOrDefault(name, new byte[0]), StandardCharsets.UTF_8);
    }

    long redrive(long limit) {
        long moved = 0;
        String from = "-";
        while (moved < limit && !from.isEmpty()) {
            List<Reply> parts = redrive(from, "+", Math.min(limit - moved, REDRIVE_BATCH));
            moved += Replies.integer(parts.get(0));
            String last = Replies.text(parts.get(1));
            from = last.isEmpty() ? "" : "(" + last;
        }
        return moved;
    }

    boolean redrive(String id) {
        return Replies.integer(redrive(id, id, 1).getFirst()) > 0;
    }

    /** Returns the number of redriven letters and the ID of the last letter that was read. */
    private List<Reply> redrive(String from, String to, long count) {
        return client.call(
                Scripts.run(StreamScripts.REDRIVE, List.of(keys.stream(), keys.deadLetters()), List.of(from, to, count))
                        .as(Replies::items));
    }

    long purgeDead() {
        return client.call(Scripts.run(ControlScripts.PURGE, List.of(keys.deadLetters()), List.of("XLEN"))
                .as(Replies::integer));
    }
}
