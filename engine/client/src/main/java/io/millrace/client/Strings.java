// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.Optional;

/** Commands on string keys. */
public final class Strings {

    /** {@code SET key value [options]}: answers {@code OK}. */
    public static final CommandSpec<String> SET =
            CommandSpec.of("SET", Replies::text).idempotently();

    /** {@code GET key}: the value, empty if there is none. */
    public static final CommandSpec<Optional<byte[]>> GET =
            CommandSpec.of("GET", Replies::optionalBytes).idempotently();

    private Strings() {}

    /** Sets {@code key} to {@code value}, without an expiry, whatever it was. */
    public static Command<String> set(String key, String value) {
        return Command.of(SET, key, value);
    }

    /** Reads {@code key}. */
    public static Command<Optional<byte[]>> get(String key) {
        return Command.of(GET, key);
    }
}
