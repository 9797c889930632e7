// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** An open source. Confined to one thread, but for {@link #cancel} and {@link #share}; blocks while it reads. */
public interface RowReader extends AutoCloseable {

    /** The columns of every row, in order; the same list as long as the reader is open. */
    List<Column> columns();

    /**
     * Clears {@code row} and fills it with the next record.
     *
     * <p>A record that cannot be a row (too few fields, bytes that are not UTF-8, …) is delivered too: the row then says
     * {@link Row#isRejected}, and reading goes on with the next record.
     *
     * @return false at the end of the source; the row is then empty
     * @throws SourceException if reading cannot go on
     */
    boolean next(Row row);

    /**
     * Ends the reading, from any thread: a {@link #next} that blocks, or comes later, ends with a {@link SourceException}, as
     * soon as the source lets it. May itself take as long as it takes to tell a database. Does nothing to a reader that is
     * closed; it is still to be closed by its own thread.
     */
    void cancel();

    /** How many rows there are in all; only where that is known exactly, and was cheap to learn. */
    default OptionalLong expectedRows() {
        return OptionalLong.empty();
    }

    /** How much of the source has been read, 0.0 to 1.0, from any thread; empty where its end cannot be foreseen. */
    default OptionalDouble share() {
        return OptionalDouble.empty();
    }

    /** Lets go of the source. Does nothing the second time. */
    @Override
    void close();
}
