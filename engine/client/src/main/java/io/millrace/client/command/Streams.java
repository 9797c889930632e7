// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Commands on streams. Factories with {@code byte[]} parameters are binary-safe: they send and return raw bytes. IDs
 * and the names of groups and consumers are text.
 */
public final class Streams {

    /** {@code XADD key [options] id field value …}: returns the ID of the new entry. */
    public static final CommandSpec<String> XADD = CommandSpec.of("XADD", Decoders.TEXT);

    /** {@code XLEN key}: returns the number of entries. */
    public static final CommandSpec<Long> XLEN =
            CommandSpec.of("XLEN", Decoders.INTEGER).idempotently();

    /** {@code XRANGE key first last [options]}: returns the entries. */
    public static final CommandSpec<List<StreamEntry<String>>> XRANGE =
            CommandSpec.of("XRANGE", StreamEntry.listDecoder(Decoders.TEXT)).idempotently();

    /** {@code XREAD [options] STREAMS key … id …}: returns the entries of each stream that has new entries. */
    public static final CommandSpec<Map<String, List<StreamEntry<String>>>> XREAD = CommandSpec.of(
                    "XREAD", Replies.map(Decoders.TEXT, StreamEntry.listDecoder(Decoders.TEXT)))
            .idempotently();

    /**
     * {@code XREADGROUP GROUP group consumer [options] STREAMS key … id …}: returns the entries of each stream that has
     * new entries.
     */
    public static final CommandSpec<Map<String, List<StreamEntry<String>>>> XREADGROUP =
            CommandSpec.of("XREADGROUP", Replies.map(Decoders.TEXT, StreamEntry.listDecoder(Decoders.TEXT)));

    /** {@code XACK key group id …}: returns the number of acknowledged entries. */
    public static final CommandSpec<Long> XACK = CommandSpec.of("XACK", Decoders.INTEGER);

    /** {@code XGROUP CREATE key group id [options]}: returns {@code OK}. */
    public static final CommandSpec<String> XGROUP_CREATE = CommandSpec.of("XGROUP CREATE", Decoders.TEXT);

    /** {@code XDEL key id …}: returns the number of deleted entries. */
    public static final CommandSpec<Long> XDEL = CommandSpec.of("XDEL", Decoders.INTEGER);

    /** {@code XTRIM key threshold}: returns the number of deleted entries. */
    public static final CommandSpec<Long> XTRIM = CommandSpec.of("XTRIM", Decoders.INTEGER);

    /** {@code XREVRANGE key last first [options]}: returns the entries, the newest first. */
    public static final CommandSpec<List<StreamEntry<String>>> XREVRANGE =
            CommandSpec.of("XREVRANGE", StreamEntry.listDecoder(Decoders.TEXT)).idempotently();

    /** ID that the server replaces by the next free ID. */
    private static final String NEXT = "*";

    private Streams() {}

    /** Appends an entry with {@code fields} to {@code key}. Requires at least one field. */
    public static Command<String> add(String key, Map<String, String> fields) {
        return add(key, NEXT, fields);
    }

    /** Same command as {@link #add(String, Map)}, with a binary key and binary fields. */
    public static Command<String> add(byte[] key, Map<byte[], byte[]> fields) {
        return add(key, NEXT, fields);
    }

    /** Appends an entry with this {@code id}, which must be higher than all earlier IDs of the stream. */
    public static Command<String> add(String key, String id, Map<String, String> fields) {
        return Arguments.of(key, id).addPairs("fields", fields).to(XADD);
    }

    /** Same command as {@link #add(String, String, Map)}, with a binary key and binary fields. */
    public static Command<String> add(byte[] key, String id, Map<byte[], byte[]> fields) {
        return Arguments.of(key, id).addPairs("fields", fields).to(XADD);
    }

    /** Appends an entry with {@code fields} to {@code key}, and trims the stream. Requires at least one field. */
    public static Command<String> add(String key, TrimOptions trimOptions, Map<String, String> fields) {
        return trimOptions
                .addTo(Arguments.of(key))
                .add(NEXT)
                .addPairs("fields", fields)
                .to(XADD);
    }

    /** Same command as {@link #add(String, TrimOptions, Map)}, with a binary key and binary fields. */
    public static Command<String> add(byte[] key, TrimOptions trimOptions, Map<byte[], byte[]> fields) {
        return trimOptions
                .addTo(Arguments.of(key))
                .add(NEXT)
                .addPairs("fields", fields)
                .to(XADD);
    }

    /** Counts the entries of {@code key}, 0 if the key does not exist. */
    public static Command<Long> size(String key) {
        return Command.of(XLEN, key);
    }

    /** Same command as {@link #size(String)}, with a binary key. */
    public static Command<Long> size(byte[] key) {
        return Command.of(XLEN, key);
    }

    /**
     * Reads the entries of {@code key} with IDs from {@code first} to {@code last}, both included. Returns at most the
     * first {@code count} of these entries. {@code -} is the lowest ID and {@code +} is the highest ID.
     *
     * @param count 1 or more
     */
    public static Command<List<StreamEntry<String>>> range(String key, String first, String last, long count) {
        return Command.of(XRANGE, key, first, last, "COUNT", Arguments.count("count", count));
    }

    /** Same command as {@link #range(String, String, String, long)}, with a binary key and binary fields. */
    public static Command<List<StreamEntry<byte[]>>> range(byte[] key, String first, String last, long count) {
        return Command.of(XRANGE, key, first, last, "COUNT", Arguments.count("count", count))
                .as(StreamEntry.listDecoder(Replies::bytes));
    }

    /** Reads streams. Streams without new entries are not in the result. */
    public static <T> Command<Map<T, List<StreamEntry<T>>>> read(StreamRead<T> read) {
        return read.command(XREAD, Arguments.of());
    }

    /**
     * Reads streams for the consumer {@code consumer} of {@code group}. With the ID {@code >}, the consumer receives
     * new entries, which are pending until {@link #acknowledge}. With any other ID, the consumer receives its pending
     * entries after that ID.
     */
    public static <T> Command<Map<T, List<StreamEntry<T>>>> readGroup(
            String group, String consumer, StreamRead<T> read) {
        return read.command(XREADGROUP, Arguments.of("GROUP", group, consumer));
    }

    /** Acknowledges the entries {@code ids} of {@code key} for {@code group}. Requires at least one ID. */
    public static Command<Long> acknowledge(String key, String group, String... ids) {
        return Arguments.of(key, group).addEach("ids", ids).to(XACK);
    }

    /** Same command as {@link #acknowledge(String, String, String...)}, with a binary key. */
    public static Command<Long> acknowledge(byte[] key, String group, String... ids) {
        return Arguments.of(key, group).addEach("ids", ids).to(XACK);
    }

    /**
     * Creates the consumer group {@code group}. The group receives the entries with an ID above {@code id}. Creates the
     * stream if the stream does not exist.
     */
    public static Command<String> createGroup(String key, String group, String id) {
        return Command.of(XGROUP_CREATE, key, group, id, "MKSTREAM");
    }

    /** Same command as {@link #createGroup(String, String, String)}, with a binary key. */
    public static Command<String> createGroup(byte[] key, String group, String id) {
        return Command.of(XGROUP_CREATE, key, group, id, "MKSTREAM");
    }

    /** Deletes the entries {@code ids} of {@code key}. Requires at least one ID. */
    public static Command<Long> delete(String key, String... ids) {
        return Arguments.of(key).addEach("ids", ids).to(XDEL);
    }

    /** Same command as {@link #delete(String, String...)}, with a binary key. */
    public static Command<Long> delete(byte[] key, String... ids) {
        return Arguments.of(key).addEach("ids", ids).to(XDEL);
    }

    /** Trims the stream {@code key}. */
    public static Command<Long> trim(String key, TrimOptions trimOptions) {
        return trimOptions.addTo(Arguments.of(key)).to(XTRIM);
    }

    /** Same command as {@link #trim(String, TrimOptions)}, with a binary key. */
    public static Command<Long> trim(byte[] key, TrimOptions trimOptions) {
        return trimOptions.addTo(Arguments.of(key)).to(XTRIM);
    }

    /**
     * Reads the entries of {@code key} as {@link #range(String, String, String, long)} does, but the newest entries,
     * and the newest entry first.
     *
     * @param count 1 or more
     */
    public static Command<List<StreamEntry<String>>> reverseRange(String key, String first, String last, long count) {
        return Command.of(XREVRANGE, key, last, first, "COUNT", Arguments.count("count", count));
    }

    /** Same command as {@link #reverseRange(String, String, String, long)}, with a binary key and binary fields. */
    public static Command<List<StreamEntry<byte[]>>> reverseRange(byte[] key, String first, String last, long count) {
        return Command.of(XREVRANGE, key, last, first, "COUNT", Arguments.count("count", count))
                .as(StreamEntry.listDecoder(Replies::bytes));
    }

    /**
     * Appends an entry if the stream {@code key} exists. Returns its ID, empty if the stream does not exist. Requires
     * at least one field.
     */
    public static Command<Optional<String>> addIfPresent(String key, Map<String, String> fields) {
        return Arguments.of(key, "NOMKSTREAM", NEXT)
                .addPairs("fields", fields)
                .to(XADD)
                .as(Decoders.OPTIONAL_TEXT);
    }

    /** Same command as {@link #addIfPresent(String, Map)}, with a binary key and binary fields. */
    public static Command<Optional<String>> addIfPresent(byte[] key, Map<byte[], byte[]> fields) {
        return Arguments.of(key, "NOMKSTREAM", NEXT)
                .addPairs("fields", fields)
                .to(XADD)
                .as(Decoders.OPTIONAL_TEXT);
    }
}
