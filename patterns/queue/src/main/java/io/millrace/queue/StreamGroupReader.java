// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Server;
import io.millrace.client.command.Streams;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.queue.StreamStatus.Group;
import io.millrace.resp.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Reads the state of the consumer groups of a stream. */
final class StreamGroupReader {

    /** Time without an active consumer after which a group counts as abandoned. Longer than a night or a deployment. */
    static final Duration ABANDONED_AFTER = Duration.ofDays(1);

    private final RedisClient client;
    private final String stream;

    StreamGroupReader(RedisClient client, String stream) {
        this.client = client;
        this.stream = stream;
    }

    /** Returns the groups. Empty if the stream does not exist. */
    List<Group> groups() {
        Reply reply;
        try {
            reply = client.call(Command.of("XINFO GROUPS", stream));
        } catch (ErrorReplyException e) {
            if (!String.valueOf(e.getMessage()).contains("no such key")) {
                throw e;
            }
            return List.of();
        }
        long now = client.call(Server.time()).toEpochMilli();
        List<Group> groups = new ArrayList<>();
        for (Reply group : Replies.items(reply)) {
            groups.add(group(Replies.map(Replies::text, Replies::raw).apply(group), now));
        }
        return List.copyOf(groups);
    }

    private Group group(Map<String, Reply> facts, long now) {
        String name = Replies.text(fact(facts, "name"));
        Duration oldest = oldest(name, Replies.text(fact(facts, "last-delivered-id")))
                .map(id -> Duration.ofMillis(Math.max(now - StreamIds.millis(id), 0)))
                .orElse(Duration.ZERO);
        boolean old = oldest.compareTo(ABANDONED_AFTER) > 0;
        return new Group(
                name,
                Replies.integer(fact(facts, "consumers")),
                Replies.integer(fact(facts, "pending")),
                oldest,
                old && idleMillis(name) > ABANDONED_AFTER.toMillis());
    }

    /** Returns the ID of the oldest entry that the group has not acknowledged. */
    private Optional<String> oldest(String group, String lastDelivered) {
        List<Reply> pending = Replies.items(client.call(Command.of("XPENDING", stream, group)));
        Optional<String> unread = client.call(Streams.range(stream, "(" + lastDelivered, "+", 1)).stream()
                .map(entry -> entry.id())
                .findFirst();
        return Stream.concat(Replies.optionalText(pending.get(1)).stream(), unread.stream())
                .findFirst(); // each pending entry is older than each unread entry
    }

    /** Returns the time since a consumer of the group was active. Without consumers, the longest time. */
    private long idleMillis(String group) {
        return Replies.items(client.call(Command.of("XINFO CONSUMERS", stream, group))).stream()
                .map(Replies.map(Replies::text, Replies::raw))
                .mapToLong(facts -> Replies.integer(fact(facts, "idle")))
                .min()
                .orElse(Long.MAX_VALUE);
    }

    private static Reply fact(Map<String, Reply> facts, String name) {
        return Optional.ofNullable(facts.get(name))
                .orElseThrow(() ->
                        new IllegalStateException("the server did not describe a consumer group completely: missing="
                                + name + ", found=" + facts.keySet()));
    }
}
