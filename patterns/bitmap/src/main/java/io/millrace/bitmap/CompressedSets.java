// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.Result;
import io.millrace.client.command.Command;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Scripts;
import io.millrace.client.command.Sets;
import io.millrace.client.command.Strings;
import io.millrace.resp.Reply;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.roaringbitmap.longlong.Roaring64NavigableMap;

/**
 * The compressed sets on the server. Each source has two keys, and its ids are the ids of both keys.
 *
 * <pre>
 *   {name}:event:2026-11-22          a stamp and a compressed set, see {@link CompressedValue}
 *   {name}:event:2026-11-22:recent   a Redis set: the ids of the last single marks
 * </pre>
 *
 * @param expiry returns the current expiry of the spans
 * @param stamps makes the stamps of new values
 */
record CompressedSets(RedisClient client, String prefix, Supplier<SpanExpiry> expiry, LongSupplier stamps) {

    /**
     * Number of sets fetched together. A decoded set takes less memory than its reply, so the replies of all sets must not
     * be in memory at the same time.
     */
    private static final int SETS_PER_FETCH = 8;

    /**
     * The ids of a source as read from the server.
     *
     * @param stamp the stamp of the compressed set; empty if there is none
     * @param recent the recent marks
     * @param all the ids of both keys
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record StoredIds(byte[] stamp, long[] recent, Roaring64NavigableMap all) {}

    /**
     * The result of a replacement.
     *
     * @param stored false if the expiry of the source has passed
     * @param otherRecent recent marks that other clients have added since {@link StoredIds} was read
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Replaced(boolean stored, long[] otherRecent) {}

    /**
     * The result of adding recent marks.
     *
     * @param added the number of new marks; negative if the expiry of the source has passed
     * @param recent the number of recent marks
     */
    record Added(long added, long recent) {}

    String key(EventSpan eventSpan) {
        return eventSpan.key(prefix);
    }

    String recentKey(EventSpan eventSpan) {
        return eventSpan.key(prefix) + ":recent";
    }

    /** Returns the compressed set of {@code eventSpan} without the recent marks. */
    CompressedValue value(EventSpan eventSpan) {
        return CompressedValue.read(key(eventSpan), client.call(Strings.get(bytes(key(eventSpan)))));
    }

    /** Reads the ids of {@code sources}. */
    Map<EventSpan, StoredIds> read(List<EventSpan> sources) {
        Map<EventSpan, StoredIds> stored = new LinkedHashMap<>();
        for (int from = 0; from < sources.size(); from += SETS_PER_FETCH) {
            read(sources.subList(from, Math.min(from + SETS_PER_FETCH, sources.size())), stored);
        }
        return stored;
    }

    private void read(List<EventSpan> sources, Map<EventSpan, StoredIds> stored) {
        Pipeline pipeline = client.pipeline();
        Map<EventSpan, Replied> replies = new LinkedHashMap<>();
        // A mark moves from the recent marks to the compressed set. So the recent marks are read first.
        sources.forEach(eventSpan -> replies.put(
                eventSpan,
                new Replied(
                        pipeline.add(
                                Command.of(Sets.SMEMBERS, recentKey(eventSpan)).as(Replies::raw)),
                        pipeline.add(Strings.get(bytes(key(eventSpan)))))));
        pipeline.run();
        replies.forEach((eventSpan, replied) -> stored.put(eventSpan, storedIds(eventSpan, replied)));
    }

    private record Replied(Result<Reply> recent, Result<Optional<byte[]>> value) {}

    private StoredIds storedIds(EventSpan eventSpan, Replied replied) {
        long[] recent = IdReplies.ids(recentKey(eventSpan), replied.recent().value());
        CompressedValue value =
                CompressedValue.read(key(eventSpan), replied.value().value());
        value.set().add(recent);
        return new StoredIds(value.stamp(), recent, value.set());
    }

    /**
     * Adds {@code ids} to the recent marks. Empty if the stamp of the compressed set is not {@code stamp}.
     *
     * @param ids ids that the compressed set with this stamp does not contain
     */
    Optional<Added> addRecent(EventSpan eventSpan, byte[] stamp, long[] ids) {
        List<Object> arguments = new ArrayList<>(2 + ids.length);
        arguments.add(stamp);
        arguments.add(expiry.get().millis(eventSpan.span()));
        Arrays.stream(ids).forEach(arguments::add);
        return client.call(Scripts.run(SetScripts.ADD_RECENT, keys(eventSpan), arguments)
                .as(Replies.optional(CompressedSets::added)));
    }

    private static Added added(Reply reply) {
        List<Long> counts = Replies.list(Replies::integer).apply(reply);
        return new Added(counts.getFirst(), counts.getLast());
    }

    /**
     * Replaces the compressed set by {@code set}, which contains all ids of {@code before}. Empty if another client has
     * replaced the set or has deleted a mark since {@code before} was read. Changes nothing then.
     */
    Optional<Replaced> replace(EventSpan eventSpan, StoredIds before, CompressedValue set) {
        List<Object> arguments = new ArrayList<>(3 + before.recent().length);
        arguments.add(before.stamp());
        arguments.add(set.encode());
        arguments.add(expiry.get().millis(eventSpan.span()));
        Arrays.stream(before.recent()).forEach(arguments::add);
        return client.call(Scripts.run(SetScripts.REPLACE, keys(eventSpan), arguments)
                        .as(Replies.optional(Replies::items)))
                .map(reply -> new Replaced(
                        Replies.text(reply.getFirst()).equals("1"),
                        IdReplies.ids(recentKey(eventSpan), reply.subList(1, reply.size()))));
    }

    List<String> keys(EventSpan eventSpan) {
        return List.of(key(eventSpan), recentKey(eventSpan));
    }

    /** Returns a stamp for a new value. */
    byte[] newStamp() {
        return CompressedValue.stamp(stamps.getAsLong());
    }

    private static byte[] bytes(String key) {
        return key.getBytes(StandardCharsets.UTF_8);
    }
}
