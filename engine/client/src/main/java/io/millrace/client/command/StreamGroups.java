// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import io.millrace.client.internal.range.Ranges;
import io.millrace.resp.Reply;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Commands on consumer groups of streams: the groups, their consumers and their pending entries. {@link Streams} reads
 * and acknowledges entries. IDs and the names of groups and consumers are text.
 */
public final class StreamGroups {

    /** {@code XGROUP CREATECONSUMER key group consumer}: returns whether the consumer is new. */
    public static final CommandSpec<Boolean> XGROUP_CREATECONSUMER =
            CommandSpec.of("XGROUP CREATECONSUMER", Decoders.FLAG);

    /** {@code XGROUP DELCONSUMER key group consumer}: returns the number of pending entries of the consumer. */
    public static final CommandSpec<Long> XGROUP_DELCONSUMER = CommandSpec.of("XGROUP DELCONSUMER", Decoders.INTEGER);

    /** {@code XGROUP DESTROY key group}: returns whether the group was deleted. */
    public static final CommandSpec<Boolean> XGROUP_DESTROY = CommandSpec.of("XGROUP DESTROY", Decoders.FLAG);

    /** {@code XGROUP SETID key group id}: returns {@code OK}. */
    public static final CommandSpec<String> XGROUP_SETID = CommandSpec.of("XGROUP SETID", Decoders.TEXT);

    /** {@code XPENDING key group [range]}: returns a summary of the pending entries. */
    public static final CommandSpec<PendingSummary> XPENDING =
            CommandSpec.of("XPENDING", PendingSummary::of).idempotently();

    /** {@code XCLAIM key group consumer milliseconds id …}: returns the claimed entries. */
    public static final CommandSpec<List<StreamEntry<String>>> XCLAIM =
            CommandSpec.of("XCLAIM", StreamEntry.listDecoder(Decoders.TEXT));

    /**
     * {@code XAUTOCLAIM key group consumer milliseconds start [options]}: returns the claimed entries and the next
     * start.
     */
    public static final CommandSpec<ClaimPage<String>> XAUTOCLAIM =
            CommandSpec.of("XAUTOCLAIM", ClaimPage.decoder(Decoders.TEXT));

    /** {@code XINFO STREAM key}: returns facts about the stream. */
    public static final CommandSpec<Map<String, Reply>> XINFO_STREAM = CommandSpec.of(
                    "XINFO STREAM", Replies.map(Decoders.TEXT, Decoders.RAW))
            .idempotently();

    /** {@code XINFO GROUPS key}: returns facts about each group. */
    public static final CommandSpec<List<Map<String, Reply>>> XINFO_GROUPS = CommandSpec.of(
                    "XINFO GROUPS", Replies.list(Replies.map(Decoders.TEXT, Decoders.RAW)))
            .idempotently();

    /** {@code XINFO CONSUMERS key group}: returns facts about each consumer. */
    public static final CommandSpec<List<Map<String, Reply>>> XINFO_CONSUMERS = CommandSpec.of(
                    "XINFO CONSUMERS", Replies.list(Replies.map(Decoders.TEXT, Decoders.RAW)))
            .idempotently();

    private StreamGroups() {}

    /**
     * Creates {@code consumer} in {@code group}. Returns false if the consumer exists. {@link Streams#readGroup} also
     * creates its consumer.
     */
    public static Command<Boolean> createConsumer(String key, String group, String consumer) {
        return Command.of(XGROUP_CREATECONSUMER, key, group, consumer);
    }

    /** Same command as {@link #createConsumer(String, String, String)}, with a binary key. */
    public static Command<Boolean> createConsumer(byte[] key, String group, String consumer) {
        return Command.of(XGROUP_CREATECONSUMER, key, group, consumer);
    }

    /**
     * Deletes {@code consumer} from {@code group}. Its pending entries are no longer pending and are not delivered
     * again. Returns their number.
     */
    public static Command<Long> deleteConsumer(String key, String group, String consumer) {
        return Command.of(XGROUP_DELCONSUMER, key, group, consumer);
    }

    /** Same command as {@link #deleteConsumer(String, String, String)}, with a binary key. */
    public static Command<Long> deleteConsumer(byte[] key, String group, String consumer) {
        return Command.of(XGROUP_DELCONSUMER, key, group, consumer);
    }

    /** Deletes {@code group} with its consumers and pending entries. Returns whether the group existed. */
    public static Command<Boolean> delete(String key, String group) {
        return Command.of(XGROUP_DESTROY, key, group);
    }

    /** Same command as {@link #delete(String, String)}, with a binary key. */
    public static Command<Boolean> delete(byte[] key, String group) {
        return Command.of(XGROUP_DESTROY, key, group);
    }

    /** Lets {@code group} continue with the entries after {@code id}. {@code $} stands for the newest entry. */
    public static Command<String> setLastDelivered(String key, String group, String id) {
        return Command.of(XGROUP_SETID, key, group, id);
    }

    /** Same command as {@link #setLastDelivered(String, String, String)}, with a binary key. */
    public static Command<String> setLastDelivered(byte[] key, String group, String id) {
        return Command.of(XGROUP_SETID, key, group, id);
    }

    /** Reads a summary of the pending entries of {@code group}. */
    public static Command<PendingSummary> pending(String key, String group) {
        return Command.of(XPENDING, key, group);
    }

    /** Same command as {@link #pending(String, String)}, with a binary key. */
    public static Command<PendingSummary> pending(byte[] key, String group) {
        return Command.of(XPENDING, key, group);
    }

    /**
     * Reads the first {@code count} pending entries of {@code group} with IDs from {@code first} to {@code last}, both
     * included. {@code -} is the lowest ID and {@code +} is the highest ID.
     *
     * @param count 1 or more
     */
    public static Command<List<PendingEntry>> pending(String key, String group, String first, String last, long count) {
        return Command.of(XPENDING, key, group, first, last, Arguments.count("count", count))
                .as(Replies.list(PendingEntry::of));
    }

    /** Same command as {@link #pending(String, String, String, String, long)}, with a binary key. */
    public static Command<List<PendingEntry>> pending(byte[] key, String group, String first, String last, long count) {
        return Command.of(XPENDING, key, group, first, last, Arguments.count("count", count))
                .as(Replies.list(PendingEntry::of));
    }

    /**
     * Gives the pending entries {@code ids} of {@code group} to {@code consumer}, if their last delivery was at least
     * {@code minIdle} ago. Returns the claimed entries. Requires at least one ID. Before Redis 7.0, the command fails with
     * an {@code UnexpectedReplyException} if an entry was deleted from the stream.
     *
     * @param minIdle 0 to 1 day
     */
    public static Command<List<StreamEntry<String>>> claim(
            String key, String group, String consumer, Duration minIdle, String... ids) {
        return Arguments.of(key, group, consumer, idleMillis(minIdle))
                .addEach("ids", ids)
                .to(XCLAIM);
    }

    /**
     * Same command as {@link #claim(String, String, String, Duration, String...)}, with a binary key and binary
     * fields.
     */
    public static Command<List<StreamEntry<byte[]>>> claim(
            byte[] key, String group, String consumer, Duration minIdle, String... ids) {
        return Arguments.of(key, group, consumer, idleMillis(minIdle))
                .addEach("ids", ids)
                .to(XCLAIM)
                .as(StreamEntry.listDecoder(Replies::bytes));
    }

    /**
     * Gives pending entries of {@code group} to {@code consumer}, if their last delivery was at least {@code minIdle}
     * ago. The server examines a limited number of pending entries from the ID {@code start} on, and claims at most
     * {@code count} of them.
     *
     * @param minIdle 0 to 1 day
     * @param start {@link ClaimPage#LAST} for the first page, then the next start of the previous page
     * @param count 1 or more
     */
    public static Command<ClaimPage<String>> claimIdle(
            String key, String group, String consumer, Duration minIdle, String start, long count) {
        return Command.of(
                XAUTOCLAIM, key, group, consumer, idleMillis(minIdle), start, "COUNT", Arguments.count("count", count));
    }

    /**
     * Same command as {@link #claimIdle(String, String, String, Duration, String, long)}, with a binary key and
     * binary fields.
     */
    public static Command<ClaimPage<byte[]>> claimIdle(
            byte[] key, String group, String consumer, Duration minIdle, String start, long count) {
        return Command.of(
                        XAUTOCLAIM,
                        key,
                        group,
                        consumer,
                        idleMillis(minIdle),
                        start,
                        "COUNT",
                        Arguments.count("count", count))
                .as(ClaimPage.decoder(Replies::bytes));
    }

    /**
     * Reads facts about the stream {@code key} under the names of the server, such as {@code length} and {@code
     * last-generated-id}.
     */
    public static Command<Map<String, Reply>> streamFacts(String key) {
        return Command.of(XINFO_STREAM, key);
    }

    /** Same command as {@link #streamFacts(String)}, with a binary key. */
    public static Command<Map<String, Reply>> streamFacts(byte[] key) {
        return Command.of(XINFO_STREAM, key);
    }

    /**
     * Reads facts about each group of {@code key} under the names of the server, such as {@code name}, {@code
     * pending} and {@code lag}.
     */
    public static Command<List<Map<String, Reply>>> groupFacts(String key) {
        return Command.of(XINFO_GROUPS, key);
    }

    /** Same command as {@link #groupFacts(String)}, with a binary key. */
    public static Command<List<Map<String, Reply>>> groupFacts(byte[] key) {
        return Command.of(XINFO_GROUPS, key);
    }

    /**
     * Reads facts about each consumer of {@code group} under the names of the server, such as {@code name}, {@code
     * pending} and {@code idle}.
     */
    public static Command<List<Map<String, Reply>>> consumerFacts(String key, String group) {
        return Command.of(XINFO_CONSUMERS, key, group);
    }

    /** Same command as {@link #consumerFacts(String, String)}, with a binary key. */
    public static Command<List<Map<String, Reply>>> consumerFacts(byte[] key, String group) {
        return Command.of(XINFO_CONSUMERS, key, group);
    }

    /** Checks that {@code minIdle} is 0 to 1 day. Returns {@code minIdle} in milliseconds. */
    private static long idleMillis(Duration minIdle) {
        Ranges.check("minIdle", minIdle, Duration.ZERO, Arguments.MAX_WAIT);
        return minIdle.toMillis();
    }
}
