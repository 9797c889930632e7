// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.Optional;

/** Commands on string keys. */
public final class Strings {

    /** {@code SET key value [options]}: answers {@code OK}. */
    public static final CommandSpec<String> SET = CommandSpec.of("SET", Replies::text);

    /** {@code GET key}: the value, empty if there is none. */
    public static final CommandSpec<Optional<String>> GET =
            CommandSpec.of("GET", Replies::optionalText).idempotently();

    private Strings() {}

    /** Sets {@code key} to {@code value}, without an expiry, whatever it was. */
    public static Command<String> set(String key, String value) {
        return Command.of(SET, key, value);
    }

    /** The same for a key and a value of any bytes. */
    public static Command<String> set(byte[] key, byte[] value) {
        return Command.of(SET, key, value);
    }

    /** Reads {@code key}. */
    public static Command<Optional<String>> get(String key) {
        return Command.of(GET, key);
    }

    /** The same for a key and a value of any bytes. */
    public static Command<Optional<byte[]>> get(byte[] key) {
        return Command.of(GET, key).as(Replies::optionalBytes);
    }
}
