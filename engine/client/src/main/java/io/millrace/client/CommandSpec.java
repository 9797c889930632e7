// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.resp.Reply;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;

/**
 * All that is known of a command, written once.
 *
 * @param <T> what its reply becomes
 */
public final class CommandSpec<T> {

    private final String name;
    private final Function<Reply, T> decoder;

    private CommandSpec(String name, Function<Reply, T> decoder) {
        this.name = name;
        this.decoder = decoder;
    }

    /** A command called {@code name} whose reply becomes a {@code T} by {@code decoder}. */
    public static <T> CommandSpec<T> of(String name, Function<Reply, T> decoder) {
        return new CommandSpec<>(name, decoder);
    }

    public String name() {
        return name;
    }

    /** Turns a reply that is no error into its value. */
    public T decode(Reply reply) {
        return decoder.apply(reply);
    }

    byte[] nameBytes() {
        return name.getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public String toString() {
        return name;
    }
}
