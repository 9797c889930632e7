// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/** Commands around a {@link Transaction}, for a {@link DedicatedConnection} only. */
public final class Transactions {

    /** {@code WATCH key …}: answers {@code OK}. */
    public static final CommandSpec<String> WATCH = CommandSpec.of("WATCH", Replies::text);

    /** {@code UNWATCH}: answers {@code OK}. */
    public static final CommandSpec<String> UNWATCH =
            CommandSpec.of("UNWATCH", Replies::text).withoutKey();

    private Transactions() {}

    /** Lets the next transaction of this connection fail if one of {@code keys}, at least one, changes until then. */
    public static Command<String> watch(String... keys) {
        return Arguments.of().addEach("keys", keys).to(WATCH);
    }

    /** The same for keys of any bytes. */
    public static Command<String> watch(byte[]... keys) {
        return Arguments.of().addEach("keys", keys).to(WATCH);
    }

    /** Forgets all keys that this connection watches. */
    public static Command<String> unwatch() {
        return Command.of(UNWATCH);
    }
}
