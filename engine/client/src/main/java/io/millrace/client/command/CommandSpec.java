// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import io.millrace.client.exception.UnexpectedReplyException;
import io.millrace.resp.Reply;
import io.millrace.resp.RequestEncoder;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The definition of a command: its name, the positions of its keys, the decoder of its reply, and its properties. The
 * same definition is used for single commands, pipelines, transactions and bulk writers. Immutable.
 *
 * @param <T> type of the decoded reply
 */
public final class CommandSpec<T> {

    private final String name;
    private final byte[] encodedName;
    private final int words;
    private final CommandRules.AllowedConnection allowedConnection;
    private final boolean blocking;
    private final boolean blockingByArgument;
    private final boolean idempotent;
    private final KeyPositions keys;
    private final @Nullable Fusion fusion;
    private final Function<Reply, T> decoder;

    private CommandSpec(CommandSpec<?> known, boolean idempotent, KeyPositions keys, Function<Reply, T> decoder) {
        this.name = known.name;
        this.encodedName = known.encodedName;
        this.words = known.words;
        this.allowedConnection = known.allowedConnection;
        this.blocking = known.blocking;
        this.blockingByArgument = known.blockingByArgument;
        this.idempotent = idempotent;
        this.keys = keys;
        this.fusion = known.fusion;
        this.decoder = decoder;
    }

    private CommandSpec(String name, Function<Reply, T> decoder) {
        if (!isName(name)) {
            throw new IllegalArgumentException("a command name must be words of printable ASCII, separated by a space");
        }
        this.name = name;
        this.encodedName = RequestEncoder.encodeName(name);
        this.words = words(name);
        this.allowedConnection = CommandRules.allowedConnection(name);
        this.blocking = CommandRules.blocks(name);
        this.blockingByArgument = CommandRules.blocksByArgument(name);
        this.idempotent = false;
        this.keys = KeyTable.of(name);
        this.fusion = Fusion.of(name);
        this.decoder = decoder;
    }

    // Without a regular expression and a stream, because each program creates these specs when it starts.

    private static boolean isName(String name) {
        boolean inWord = false;
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c < ' ' || c > '~' || (c == ' ' && !inWord)) {
                return false;
            }
            inWord = c != ' ';
        }
        return inWord;
    }

    private static int words(String name) {
        int words = 1;
        for (int i = 0; i < name.length(); i++) {
            words += name.charAt(i) == ' ' ? 1 : 0;
        }
        return words;
    }

    /**
     * Returns the spec of a command. The command is not sent again after a lost connection. The positions of the keys
     * are known for all commands of Redis and Valkey. For any other name, the first argument is the key. Blocking
     * commands such as {@code BLPOP} are also recognized by name.
     *
     * @param name one or more words of ASCII, such as {@code SCRIPT LOAD}
     * @param decoder converts a reply that is not an error; runs on the thread that asks for the value
     * @throws IllegalArgumentException if {@code name} is a command after which the client could not match later
     *     replies with their commands, such as {@code SUBSCRIBE}, {@code MULTI} or {@code CLIENT REPLY}; or if
     *     {@code name} is {@code CLIENT}, {@code CLUSTER} or {@code SCRIPT} without a subcommand
     */
    public static <T> CommandSpec<T> of(String name, Function<Reply, T> decoder) {
        return new CommandSpec<>(name, decoder);
    }

    /**
     * Returns a copy that may be sent again if the connection is lost before its reply, at most twice. The read-only
     * commands of this library are already marked in this way. Only the caller can decide whether a write command may
     * be sent again, because another client may write between the two executions.
     */
    public CommandSpec<T> idempotently() {
        return new CommandSpec<>(this, true, keys, decoder);
    }

    /**
     * Returns a copy whose only key is the argument at {@code index}.
     *
     * @param index 0 to 1,048,575, counted from 0 without the words of the name
     */
    public CommandSpec<T> keyAt(int index) {
        return withKeys(KeyPositions.at(index));
    }

    /** Returns a copy without a key. */
    public CommandSpec<T> withoutKey() {
        return withKeys(KeyPositions.none());
    }

    /** Returns a copy with these positions of keys. */
    public CommandSpec<T> withKeys(KeyPositions positions) {
        return new CommandSpec<>(this, idempotent, Objects.requireNonNull(positions, "positions"), decoder);
    }

    /** Returns a copy with another decoder for the reply. */
    public <U> CommandSpec<U> as(Function<Reply, U> newDecoder) {
        return new CommandSpec<>(this, idempotent, keys, newDecoder);
    }

    public String name() {
        return name;
    }

    /** Whether the command may be sent again if the connection is lost before its reply. */
    public boolean idempotent() {
        return idempotent;
    }

    /** Whether the server may block the command, so that the command needs a dedicated connection. */
    public boolean blocking() {
        return blocking;
    }

    /** Whether the server may block the command if {@code BLOCK} is among its arguments. */
    boolean blockingByArgument() {
        return blockingByArgument;
    }

    /**
     * Whether the command changes the state of its connection, as {@code WATCH} does, or depends on the earlier commands
     * of its connection, as {@code WAIT} does. Such a command must not run on a shared connection. The caller needs a
     * borrowed connection or a bulk writer.
     */
    public boolean dedicated() {
        return allowedConnection == CommandRules.AllowedConnection.DEDICATED;
    }

    /**
     * Index of the argument that is the first key, counted from 0; -1 if there is no key. For a command with options
     * before its key, such as {@code XREAD}, the index is correct only without options, unless a factory made the
     * command.
     */
    public int keyIndex() {
        return keys.first();
    }

    /** The positions of all keys. */
    public KeyPositions keys() {
        return keys;
    }

    /** The kind of fusion for commands of this name; null if such commands are never fused. */
    public @Nullable Fusion fusion() {
        return fusion;
    }

    /**
     * Decodes a reply that is not an error.
     *
     * @throws UnexpectedReplyException if the decoder does not accept this kind of reply
     */
    public T decode(Reply reply) {
        return decoder.apply(reply);
    }

    /** The words of the name, encoded as bulk strings. Must not be modified. */
    public byte[] encodedName() {
        return encodedName;
    }

    /** Number of words in the name. */
    public int words() {
        return words;
    }

    @Override
    public String toString() {
        return name;
    }
}
