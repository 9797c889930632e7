// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.resp.Reply;
import io.millrace.resp.RequestEncoder;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * All that is known of a command, written once, for every way of running it. Immutable.
 *
 * @param <T> what its reply becomes
 */
public final class CommandSpec<T> {

    private static final Pattern NAME = Pattern.compile("[!-~]+( [!-~]+)*");
    private static final int NO_KEY = -1;

    private final String name;
    private final byte[] encodedName;
    private final int words;
    private final CommandNames.Place place;
    private final boolean blocking;
    private final boolean blockingByArgument;
    private final boolean idempotent;
    private final int keyIndex;
    private final @Nullable Fusion fusion;
    private final Function<Reply, T> decoder;

    private CommandSpec(CommandSpec<?> known, boolean idempotent, int keyIndex, Function<Reply, T> decoder) {
        this.name = known.name;
        this.encodedName = known.encodedName;
        this.words = known.words;
        this.place = known.place;
        this.blocking = known.blocking;
        this.blockingByArgument = known.blockingByArgument;
        this.idempotent = idempotent;
        this.keyIndex = keyIndex;
        this.fusion = known.fusion;
        this.decoder = decoder;
    }

    private CommandSpec(String name, Function<Reply, T> decoder) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("a command's name is words of printable ASCII, a blank between them");
        }
        this.name = name;
        this.encodedName = RequestEncoder.encodeName(name);
        this.words = 1 + (int) name.chars().filter(c -> c == ' ').count();
        this.place = CommandNames.placeOf(name);
        this.blocking = CommandNames.blocks(name);
        this.blockingByArgument = CommandNames.blocksByArgument(name);
        this.idempotent = false;
        this.keyIndex = 0;
        this.fusion = Fusion.of(name);
        this.decoder = decoder;
    }

    /**
     * A command called {@code name} that is not sent twice and whose first argument is its key. Commands that wait on the
     * server, such as {@code BLPOP}, are known by name.
     *
     * @param name one or more words of ASCII, such as {@code SCRIPT LOAD}
     * @param decoder turns a reply that is no error into its value; runs on the thread that asks for the value
     * @throws IllegalArgumentException if it is a command after which replies could no longer be told apart, such as
     *     {@code SUBSCRIBE}, {@code MULTI} or {@code CLIENT REPLY}
     */
    public static <T> CommandSpec<T> of(String name, Function<Reply, T> decoder) {
        return new CommandSpec<>(name, decoder);
    }

    /**
     * This command, marked as one that may be sent again when the connection was lost before its reply. Commands that only
     * read are; of those that write only the caller can know it, for somebody else may have written in between.
     */
    public CommandSpec<T> idempotently() {
        return new CommandSpec<>(this, true, keyIndex, decoder);
    }

    /** This command, whose key is the argument at {@code index}, counted from 0. */
    public CommandSpec<T> keyAt(int index) {
        return new CommandSpec<>(this, idempotent, index, decoder);
    }

    /** This command, which has no key. */
    public CommandSpec<T> withoutKey() {
        return new CommandSpec<>(this, idempotent, NO_KEY, decoder);
    }

    /** This command, with another way to read its reply. */
    public <U> CommandSpec<U> as(Function<Reply, U> newDecoder) {
        return new CommandSpec<>(this, idempotent, keyIndex, newDecoder);
    }

    public String name() {
        return name;
    }

    /** Whether it may be sent again when the connection was lost before its reply. */
    public boolean idempotent() {
        return idempotent;
    }

    /** Whether the server may let it wait, so that it needs a connection to itself. */
    public boolean blocking() {
        return blocking;
    }

    /** Whether the server may let it wait if {@code BLOCK} is among its arguments. */
    boolean blockingByArgument() {
        return blockingByArgument;
    }

    /** Whether it changes the connection that it runs on, such as {@code WATCH}, and so must not run on a shared one. */
    public boolean dedicated() {
        return place == CommandNames.Place.DEDICATED;
    }

    /** Which argument is the key, counted from 0; -1 if none is. */
    public int keyIndex() {
        return keyIndex;
    }

    /** As what it may be fused with others of its name; null if it never is. */
    public @Nullable Fusion fusion() {
        return fusion;
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
