// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/** Commands on HyperLogLogs: about how many different elements there are, in 12 KB, with a standard error of 0.81 %. */
public final class HyperLogLogs {

    /** {@code PFADD key element …}: whether the estimate may have changed. */
    public static final CommandSpec<Boolean> PFADD = CommandSpec.of("PFADD", Replies::flag);

    /** {@code PFCOUNT key …}: about how many different elements all of them have. */
    public static final CommandSpec<Long> PFCOUNT =
            CommandSpec.of("PFCOUNT", Replies::integer).idempotently();

    /** {@code PFMERGE destination key …}: answers {@code OK}. */
    public static final CommandSpec<String> PFMERGE = CommandSpec.of("PFMERGE", Replies::text);

    private HyperLogLogs() {}

    /** Counts {@code elements}, at least one, in {@code key}. */
    public static Command<Boolean> add(String key, String... elements) {
        return Arguments.of(key).addEach("elements", elements).to(PFADD);
    }

    /** The same for a key and elements of any bytes. */
    public static Command<Boolean> add(byte[] key, byte[]... elements) {
        return Arguments.of(key).addEach("elements", elements).to(PFADD);
    }

    /** About how many different elements {@code keys}, at least one, have together. */
    public static Command<Long> count(String... keys) {
        return Arguments.of().addEach("keys", keys).to(PFCOUNT);
    }

    /** The same for keys of any bytes. */
    public static Command<Long> count(byte[]... keys) {
        return Arguments.of().addEach("keys", keys).to(PFCOUNT);
    }

    /** Adds what {@code sources}, at least one, have counted to {@code destination}. */
    public static Command<String> merge(String destination, String... sources) {
        return Arguments.of(destination).addEach("sources", sources).to(PFMERGE);
    }

    /** The same for keys of any bytes. */
    public static Command<String> merge(byte[] destination, byte[]... sources) {
        return Arguments.of(destination).addEach("sources", sources).to(PFMERGE);
    }
}
