// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.client.ArgumentSink;
import io.millrace.client.CommandSpec;
import io.millrace.load.Rejection;
import io.millrace.load.source.Row;
import io.millrace.resp.Reply;
import java.util.Optional;

/**
 * Turns rows of known columns into commands, and checks afterwards what the commands left in Redis.
 *
 * <p>Used row by row: {@link #prepare}, then any of the others for that row. Keeps scratch space between rows, so an
 * instance belongs to one thread.
 */
public interface RowMapping {

    /** Works out the key of {@code row} and whether there is anything to write; empty if there is. */
    Optional<Rejection> prepare(Row row);

    /** The bytes of the prepared row's key; valid to {@link #keyLength} and until the next {@link #prepare}. */
    byte[] key();

    int keyLength();

    /** The command that every row of this mapping becomes. */
    CommandSpec<?> command();

    /** Gives the prepared row's arguments, the key among them, to {@code sink}. */
    void write(Row row, ArgumentSink sink);

    /** The command that reads back what a row wrote. */
    CommandSpec<?> readBack();

    /** Gives the arguments of {@link #readBack} for the prepared row to {@code sink}. */
    void writeReadBack(Row row, ArgumentSink sink);

    /** Whether {@code reply}, the answer to {@link #readBack}, shows the prepared row as it should be. */
    boolean matches(Row row, Reply reply);
}
