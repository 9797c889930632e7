// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.client.command.ArgumentSink;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Fusion;
import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import io.millrace.resp.Reply;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * Maps the rows of a source to commands, and checks replies that read the rows back. Created by {@link Target#bind}.
 *
 * <p>Call {@link #prepare} for a row first, and then the other methods for the same row. {@link #matches} does not need
 * {@code prepare}. A mapping reuses buffers between rows, so it is confined to one thread. Never blocks. A row must
 * have a value for each column.
 */
public interface RowMapping {

    /** Computes the key of {@code row}, and returns a rejection if the row cannot be written. */
    Optional<Rejection> prepare(Row row);

    /** A buffer that begins with the key of the prepared row. Valid until the next {@link #prepare}. */
    byte[] key();

    /** The length of the key of the prepared row; 0 if the row was rejected because it has no key. */
    int keyLength();

    /**
     * The number of bytes of {@link #key} that identify the place of the prepared row. Rows with the same bytes
     * overwrite each other, so only the last of these rows can be read back. At least {@link #keyLength}; more if rows
     * share a key.
     */
    default int keyAndFieldLength() {
        return keyLength();
    }

    /**
     * Whether rows with the same place write the same value, as members of a set do. Then the order of these rows makes no
     * difference.
     */
    default boolean repeatedRowsAreEqual() {
        return false;
    }

    /**
     * The length in bytes of the longest field or value of the last {@link #write}, if a server stores short fields and
     * values in less memory; 0 if the length makes no difference.
     */
    default int longestFieldOrValue() {
        return 0;
    }

    /**
     * The number of bytes of the last {@link #write} or {@link #writeRepeated} that the server stores once for many rows,
     * such as the field names of a stream; 0 if the server stores all bytes for each row.
     */
    default int sharedBytes() {
        return 0;
    }

    /** The command that writes a row. It does not rely on earlier commands. */
    CommandSpec<?> command();

    /**
     * A command that writes a row after {@link #command} was sent on the same connection, and costs less. It may rely on
     * a script that {@code command} has left on the server. If the server no longer has the script, the reply is the
     * error {@code NOSCRIPT}, and nothing was written.
     */
    default CommandSpec<?> repeatedCommand() {
        return command();
    }

    /**
     * How the {@linkplain #repeatedCommand commands} of adjacent rows may be fused. The loader does not use the integers
     * in their replies, except to ask {@link #leftOut}. Empty if
     * adjacent rows can rarely be fused, because the client delays a command that may be fused.
     */
    default Set<Fusion> fusion() {
        return Fusion.NONE;
    }

    /** Writes the arguments of {@link #command} for the prepared row, including the key, to {@code sink}. */
    void write(Row row, ArgumentSink sink);

    /** Writes the arguments of {@link #repeatedCommand} for the prepared row, including the key, to {@code sink}. */
    default void writeRepeated(Row row, ArgumentSink sink) {
        write(row, sink);
    }

    /**
     * Whether {@code reply} to {@link #command} or {@link #repeatedCommand} says that the row was left out, because its
     * key exists. {@code reply} is not an error reply.
     */
    default boolean leftOut(Reply reply) {
        return false;
    }

    /** The effect of writing a row a second time. */
    default Repetition repetition() {
        return Repetition.CHANGES_NOTHING;
    }

    /**
     * Writes the prepared row with {@code HIMPORT}, for servers that have this command; empty if the result in Redis
     * would differ from the result of {@link #write}. If the server refuses the import of a row, {@code write} may
     * still succeed.
     */
    default Optional<HashImport> hashImport() {
        return Optional.empty();
    }

    /**
     * Writes the prepared row with {@code RESTORE}, for a row that needs a script otherwise; empty if the mapping has no
     * such rows. If the server refuses the row, for example because the key exists, {@link #write} may still succeed.
     */
    default Optional<HashRestore> hashRestore() {
        return Optional.empty();
    }

    /**
     * The command that reads back the values of a row, and the expiry if this mapping sets it. The command changes
     * nothing. The loader does not call this method and the two methods below if the target is {@linkplain
     * Target#whyNotVerifiable not verifiable}.
     */
    CommandSpec<?> readBack();

    /** Writes the arguments of {@link #readBack} for the prepared row to {@code sink}. */
    void writeReadBack(Row row, ArgumentSink sink);

    /**
     * Whether {@code reply}, the reply to {@link #readBack}, equals {@code row}.
     *
     * @param row a row that {@link #prepare} did not reject
     * @param reply the reply; an error reply never matches
     * @param age longest time since the row was written; if the row may have expired in this time, a missing row
     *     matches
     */
    boolean matches(Row row, Reply reply, Duration age);

    /**
     * How {@code reply} differs from {@code row}. Called only if {@link #matches} has returned false for the same
     * arguments. Leaves the mapping unprepared.
     */
    default Difference difference(Row row, Reply reply, Duration age) {
        return Difference.of(Difference.Kind.VALUE);
    }
}
