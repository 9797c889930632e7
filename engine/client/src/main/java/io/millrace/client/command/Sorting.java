// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import java.util.List;

/**
 * Commands that sort the elements of a list, a set or a sorted set.
 */
public final class Sorting {

    /** {@code SORT key [options]}: returns the sorted elements. */
    public static final CommandSpec<List<String>> SORT = CommandSpec.of("SORT", Replies.list(Decoders.TEXT));

    /** {@code SORT_RO key [options]}: returns the sorted elements. */
    public static final CommandSpec<List<String>> SORT_RO =
            CommandSpec.of("SORT_RO", Replies.list(Decoders.TEXT)).idempotently();

    private Sorting() {}

    /**
     * Sorts the elements of {@code key} and stores them in the list {@code destination}. Returns the number of
     * elements. Overwrites an existing key.
     */
    public static Command<Long> store(String key, SortOptions options, String destination) {
        return options.addTo(Arguments.of(key))
                .add("STORE")
                .add(destination)
                .to(SORT)
                .as(Decoders.INTEGER);
    }

    /** Same command as {@link #store(String, SortOptions, String)}, with binary keys. */
    public static Command<Long> store(byte[] key, SortOptions options, byte[] destination) {
        return options.addTo(Arguments.of(key))
                .add("STORE")
                .add(destination)
                .to(SORT)
                .as(Decoders.INTEGER);
    }

    /**
     * Reads the elements of {@code key} in the order of {@code options}. The server returns an error if it compares
     * numbers and an element is not a number. Redis 7.0 or later.
     */
    public static Command<List<String>> read(String key, SortOptions options) {
        return options.addTo(Arguments.of(key)).to(SORT_RO);
    }

    /** Same command as {@link #read(String, SortOptions)}, with a binary key and binary elements. */
    public static Command<List<byte[]>> read(byte[] key, SortOptions options) {
        return options.addTo(Arguments.of(key)).to(SORT_RO).as(Replies.list(Replies::bytes));
    }
}
