// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

/**
 * Commands on HyperLogLogs. A HyperLogLog estimates the number of distinct elements in 12 KB, with a standard error of
 * 0.81 %.
 */
public final class HyperLogLogs {

    /** {@code PFADD key element …}: returns whether the estimate may have changed. */
    public static final CommandSpec<Boolean> PFADD = CommandSpec.of("PFADD", Decoders.FLAG);

    /** {@code PFCOUNT key …}: returns the estimated number of distinct elements in all keys together. */
    public static final CommandSpec<Long> PFCOUNT =
            CommandSpec.of("PFCOUNT", Decoders.INTEGER).idempotently();

    /** {@code PFMERGE destination key …}: returns {@code OK}. */
    public static final CommandSpec<String> PFMERGE = CommandSpec.of("PFMERGE", Decoders.TEXT);

    private HyperLogLogs() {}

    /** Adds {@code elements} to the HyperLogLog {@code key}. Requires at least one element. */
    public static Command<Boolean> add(String key, String... elements) {
        return Arguments.of(key).addEach("elements", elements).to(PFADD);
    }

    /** Same command as {@link #add(String, String...)}, with a binary key and binary elements. */
    public static Command<Boolean> add(byte[] key, byte[]... elements) {
        return Arguments.of(key).addEach("elements", elements).to(PFADD);
    }

    /** Estimates the number of distinct elements in the union of {@code keys}. Requires at least one key. */
    public static Command<Long> count(String... keys) {
        return Arguments.of().addEach("keys", keys).to(PFCOUNT);
    }

    /** Same command as {@link #count(String...)}, with binary keys. */
    public static Command<Long> count(byte[]... keys) {
        return Arguments.of().addEach("keys", keys).to(PFCOUNT);
    }

    /** Merges {@code sources} into {@code destination}. Requires at least one source. */
    public static Command<String> merge(String destination, String... sources) {
        return Arguments.of(destination).addEach("sources", sources).to(PFMERGE);
    }

    /** Same command as {@link #merge(String, String...)}, with binary keys. */
    public static Command<String> merge(byte[] destination, byte[]... sources) {
        return Arguments.of(destination).addEach("sources", sources).to(PFMERGE);
    }
}
