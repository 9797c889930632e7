// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.resp.Reply;
import io.millrace.resp.RequestEncoder;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * All that is known of a command, written once, for every way of running it. Immutable.
 *
 * @param <T> what its reply becomes
 */
public final class CommandSpec<T> {

    private static final Pattern NAME = Pattern.compile("[!-~]+( [!-~]+)*");

    private final String name;
    private final byte[] encodedName;
    private final int words;
    private final boolean idempotent;
    private final Function<Reply, T> decoder;

    /** After these, replies would no longer be the n-th to the n-th command, or other callers' commands mean another thing. */
    private static final Set<String> CHANGES_THE_CONNECTION = Set.of(
            "AUTH",
            "DISCARD",
            "EXEC",
            "HELLO",
            "MONITOR",
            "MULTI",
            "PSUBSCRIBE",
            "PSYNC",
            "PUNSUBSCRIBE",
            "QUIT",
            "RESET",
            "SELECT",
            "SSUBSCRIBE",
            "SUBSCRIBE",
            "SUNSUBSCRIBE",
            "SYNC",
            "UNSUBSCRIBE",
            "UNWATCH",
            "WATCH",
            "CLIENT",
            "CLIENT REPLY");

    private CommandSpec(String name, boolean idempotent, Function<Reply, T> decoder) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("a command's name is words of printable ASCII, a blank between them");
        }
        if (CHANGES_THE_CONNECTION.contains(name.toUpperCase(Locale.ROOT))) {
            throw new IllegalArgumentException(
                    name + " changes the connection for everybody who shares it, so it cannot be sent like a command");
        }
        this.name = name;
        this.encodedName = RequestEncoder.encodeName(name);
        this.words = 1 + (int) name.chars().filter(c -> c == ' ').count();
        this.idempotent = idempotent;
        this.decoder = decoder;
    }

    /**
     * A command called {@code name} that must not be sent twice.
     *
     * @param name one or more words of ASCII, such as {@code SCRIPT LOAD}; commands that change what a connection's
     *     replies mean, such as {@code SUBSCRIBE}, {@code MULTI} or {@code CLIENT REPLY}, are refused
     * @param decoder turns a reply that is no error into its value; runs on the thread that asks for the value
     */
    public static <T> CommandSpec<T> of(String name, Function<Reply, T> decoder) {
        return new CommandSpec<>(name, false, decoder);
    }

    /** This command, marked as one that may be sent twice and does no more than sent once. */
    public CommandSpec<T> idempotently() {
        return new CommandSpec<>(name, true, decoder);
    }

    public String name() {
        return name;
    }

    /** Whether sending it twice does no more than sending it once. */
    public boolean idempotent() {
        return idempotent;
    }

    /**
     * Turns a reply that is no error into its value.
     *
     * @throws UnexpectedReplyException if a reply of this kind cannot become a {@code T}
     */
    public T decode(Reply reply) {
        return decoder.apply(reply);
    }

    /** The words of the name as bulk strings. Not to be written to. */
    public byte[] encodedName() {
        return encodedName;
    }

    /** How many words the name has. */
    public int words() {
        return words;
    }

    @Override
    public String toString() {
        return name;
    }
}
