// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.client.ArgumentSink;
import io.millrace.client.CommandSpec;
import io.millrace.client.Fusion;
import io.millrace.load.Rejection;
import io.millrace.load.source.Row;
import io.millrace.resp.Reply;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * Turns rows of known columns into commands, and checks afterwards what the commands left in Redis. {@link Target#bind} makes
 * one.
 *
 * <p>Used row by row: {@link #prepare}, then any of the others for that row; {@link #matches} needs no {@code prepare}. Keeps
 * scratch space between rows, so an instance belongs to one thread. Never blocks. A row must have a value for each of the
 * columns.
 */
public interface RowMapping {

    /** Works out the key of {@code row} and whether there is anything to write; empty if there is. */
    Optional<Rejection> prepare(Row row);

    /** The bytes of the prepared row's key; valid to {@link #keyLength} and until the next {@link #prepare}. */
    byte[] key();

    /** How many bytes the prepared row's key has; 0 if the row was rejected because it has no key. */
    int keyLength();

    /**
     * How many bytes of {@link #key} tell what the prepared row overwrites: two rows that agree in them are written to the
     * same place, so that only the later one can be found there. Not less than {@link #keyLength}, and more where rows share
     * a key.
     */
    default int placeLength() {
        return keyLength();
    }

    /**
     * How many bytes the longest field or value has that {@link #write} gave last, where a server takes less memory for short ones; 0
     * where their length makes no difference.
     */
    default int longestPart() {
        return 0;
    }

    /** The command that every row of this mapping becomes. */
    CommandSpec<?> command();

    /**
     * As what the commands of adjacent rows may be fused; nobody asks for the numbers in their replies. None where adjacent rows
     * rarely have a command that could be: it would be held back for nothing.
     */
    default Set<Fusion> fusion() {
        return Fusion.NONE;
    }

    /** Gives the prepared row's arguments, the key among them, to {@code sink}. */
    void write(Row row, ArgumentSink sink);

    /**
     * The same rows for a server that has {@code HIMPORT}; empty where that would leave something else in Redis than {@link
     * #write} does. It writes the prepared row, too, unless the server refuses it: then {@code write} may still succeed.
     */
    default Optional<HashImport> hashImport() {
        return Optional.empty();
    }

    /** The command that reads back what a row wrote: values, and expiry where this mapping decides it. It changes nothing. */
    CommandSpec<?> readBack();

    /** Gives the arguments of {@link #readBack} for the prepared row to {@code sink}. */
    void writeReadBack(Row row, ArgumentSink sink);

    /**
     * Whether {@code reply}, the answer to {@link #readBack}, shows {@code row} as it should be.
     *
     * @param row that {@link #prepare} did not reject
     * @param reply an error reply does not match
     * @param age how long ago the row can have been written at the earliest; where its expiry may have passed since, it need not
     *     be there any more
     */
    boolean matches(Row row, Reply reply, Duration age);
}
