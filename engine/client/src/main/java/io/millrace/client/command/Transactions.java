// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import io.millrace.client.DedicatedConnection;
import io.millrace.client.Transaction;

/** Commands that watch keys for a {@link Transaction}. These commands run only on a {@link DedicatedConnection}. */
public final class Transactions {

    /** {@code WATCH key …}: returns {@code OK}. */
    public static final CommandSpec<String> WATCH = CommandSpec.of("WATCH", Decoders.TEXT);

    /** {@code UNWATCH}: returns {@code OK}. */
    public static final CommandSpec<String> UNWATCH = CommandSpec.of("UNWATCH", Decoders.TEXT);

    private Transactions() {}

    /**
     * Watches {@code keys}. If one of the keys changes before the next transaction on this connection runs, this
     * transaction ends with a conflict. Requires at least one key.
     */
    public static Command<String> watch(String... keys) {
        return Arguments.of().addEach("keys", keys).to(WATCH);
    }

    /** Same command as {@link #watch(String...)}, with binary keys. */
    public static Command<String> watch(byte[]... keys) {
        return Arguments.of().addEach("keys", keys).to(WATCH);
    }

    /** Stops watching all keys on this connection. */
    public static Command<String> unwatch() {
        return Command.of(UNWATCH);
    }
}
