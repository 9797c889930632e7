// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.List;
import java.util.Map;

/**
 * Commands on streams. A factory that is given {@code byte[]} sends, and answers, any bytes as they are; IDs, and the names
 * of groups and consumers, are text.
 */
public final class Streams {

    /** {@code XADD key [options] id field value …}: the ID of the new entry. */
    public static final CommandSpec<String> XADD = CommandSpec.of("XADD", Replies::text);

    /** {@code XLEN key}: how many entries there are. */
    public static final CommandSpec<Long> XLEN =
            CommandSpec.of("XLEN", Replies::integer).idempotently();

    /** {@code XRANGE key first last [options]}: the entries. */
    public static final CommandSpec<List<StreamEntry<String>>> XRANGE =
            CommandSpec.of("XRANGE", StreamEntry.listDecoder(Replies::text)).idempotently();

    /** {@code XREAD [options] STREAMS key … id …}: the entries of each key that has any. */
    public static final CommandSpec<Map<String, List<StreamEntry<String>>>> XREAD = CommandSpec.of(
                    "XREAD", Replies.map(Replies::text, StreamEntry.listDecoder(Replies::text)))
            .keyAt(1)
            .idempotently();

    /** {@code XREADGROUP GROUP group consumer [options] STREAMS key … id …}: the entries of each key that has any. */
    public static final CommandSpec<Map<String, List<StreamEntry<String>>>> XREADGROUP = CommandSpec.of(
                    "XREADGROUP", Replies.map(Replies::text, StreamEntry.listDecoder(Replies::text)))
            .keyAt(4);

    /** {@code XACK key group id …}: how many were pending. */
    public static final CommandSpec<Long> XACK = CommandSpec.of("XACK", Replies::integer);

    /** {@code XGROUP CREATE key group id [options]}: answers {@code OK}. */
    public static final CommandSpec<String> XGROUP_CREATE = CommandSpec.of("XGROUP CREATE", Replies::text);

    /** {@code XDEL key id …}: how many were there. */
    public static final CommandSpec<Long> XDEL = CommandSpec.of("XDEL", Replies::integer);

    /** {@code XTRIM key threshold}: how many entries were cut off. */
    public static final CommandSpec<Long> XTRIM = CommandSpec.of("XTRIM", Replies::integer);

    /** The ID that the server replaces by the next one. */
    private static final String NEXT = "*";

    private Streams() {}

    /** Appends an entry with {@code fields}, at least one, to {@code key}. */
    public static Command<String> add(String key, Map<String, String> fields) {
        return add(key, NEXT, fields);
    }

    /** The same for a key and fields of any bytes. */
    public static Command<String> add(byte[] key, Map<byte[], byte[]> fields) {
        return add(key, NEXT, fields);
    }

    /** Appends an entry with that {@code id}, which must be above all that were there before. */
    public static Command<String> add(String key, String id, Map<String, String> fields) {
        return Arguments.of(key, id).addPairs("fields", fields).to(XADD);
    }

    /** The same for a key and fields of any bytes. */
    public static Command<String> add(byte[] key, String id, Map<byte[], byte[]> fields) {
        return Arguments.of(key, id).addPairs("fields", fields).to(XADD);
    }

    /** Appends an entry with {@code fields}, at least one, to {@code key}, and cuts it. */
    public static Command<String> add(String key, Trimming trimming, Map<String, String> fields) {
        return trimming.addTo(Arguments.of(key))
                .add(NEXT)
                .addPairs("fields", fields)
                .to(XADD);
    }

    /** The same for a key and fields of any bytes. */
    public static Command<String> add(byte[] key, Trimming trimming, Map<byte[], byte[]> fields) {
        return trimming.addTo(Arguments.of(key))
                .add(NEXT)
                .addPairs("fields", fields)
                .to(XADD);
    }

    /** How many entries {@code key} has; 0 if it is not there. */
    public static Command<Long> size(String key) {
        return Command.of(XLEN, key);
    }

    /** The same for a key of any bytes. */
    public static Command<Long> size(byte[] key) {
        return Command.of(XLEN, key);
    }

    /**
     * Reads the first {@code count} entries, 1 or more, of {@code key} whose IDs are {@code first} to {@code last}, both
     * included; {@code -} and {@code +} are the ends.
     */
    public static Command<List<StreamEntry<String>>> range(String key, String first, String last, long count) {
        return Command.of(XRANGE, key, first, last, "COUNT", Arguments.count("count", count));
    }

    /** The same for a key and fields of any bytes. */
    public static Command<List<StreamEntry<byte[]>>> range(byte[] key, String first, String last, long count) {
        return Command.of(XRANGE, key, first, last, "COUNT", Arguments.count("count", count))
                .as(StreamEntry.listDecoder(Replies::bytes));
    }

    /** Reads streams; those without an entry to be read are left out. */
    public static <T> Command<Map<T, List<StreamEntry<T>>>> read(StreamRead<T> read) {
        return read.command(XREAD, Arguments.of());
    }

    /**
     * Reads streams for {@code consumer} of {@code group}: the entries after {@code >} are then pending for it until
     * {@link #acknowledge}; after another ID those that are.
     */
    public static <T> Command<Map<T, List<StreamEntry<T>>>> readGroup(
            String group, String consumer, StreamRead<T> read) {
        return read.command(XREADGROUP, Arguments.of("GROUP", group, consumer));
    }

    /** Says that the entries {@code ids}, at least one, of {@code key} are done with in {@code group}. */
    public static Command<Long> acknowledge(String key, String group, String... ids) {
        return Arguments.of(key, group).addEach("ids", ids).to(XACK);
    }

    /** The same for a key of any bytes. */
    public static Command<Long> acknowledge(byte[] key, String group, String... ids) {
        return Arguments.of(key, group).addEach("ids", ids).to(XACK);
    }

    /** Creates {@code group}, whose first entry is that after {@code id}; the stream too if it is not there. */
    public static Command<String> createGroup(String key, String group, String id) {
        return Command.of(XGROUP_CREATE, key, group, id, "MKSTREAM");
    }

    /** The same for a key of any bytes. */
    public static Command<String> createGroup(byte[] key, String group, String id) {
        return Command.of(XGROUP_CREATE, key, group, id, "MKSTREAM");
    }

    /** Deletes the entries {@code ids}, at least one, of {@code key}. */
    public static Command<Long> delete(String key, String... ids) {
        return Arguments.of(key).addEach("ids", ids).to(XDEL);
    }

    /** The same for a key of any bytes. */
    public static Command<Long> delete(byte[] key, String... ids) {
        return Arguments.of(key).addEach("ids", ids).to(XDEL);
    }

    /** Cuts {@code key}. */
    public static Command<Long> trim(String key, Trimming trimming) {
        return trimming.addTo(Arguments.of(key)).to(XTRIM);
    }

    /** The same for a key of any bytes. */
    public static Command<Long> trim(byte[] key, Trimming trimming) {
        return trimming.addTo(Arguments.of(key)).to(XTRIM);
    }
}
