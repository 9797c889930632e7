// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * Reads the rows of an open source. Confined to one thread, except {@link #cancel} and {@link #share}. Blocks while it
 * reads.
 */
public interface RowReader extends AutoCloseable {

    /** The columns of every row, in order. Does not change while the reader is open. */
    List<Column> columns();

    /**
     * Clears {@code row} and fills it with the next record.
     *
     * <p>A malformed record (too few fields, bytes that are not UTF-8, …) is delivered too: the row is then
     * {@linkplain Row#isRejected rejected}, and the next call reads the next record.
     *
     * @return false at the end of the source; the row is then empty
     * @throws SourceException if reading cannot continue
     */
    boolean next(Row row);

    /**
     * Cancels the reading. Any thread. A current or later call of {@link #next} throws a {@link SourceException}, as
     * soon as the source permits this. May block while it sends a cancel request to a database. Does nothing if the
     * reader is closed. Does not close the reader.
     */
    void cancel();

    /** The total number of rows; empty if the exact number is unknown or can only be found at high cost. */
    default OptionalLong expectedRows() {
        return OptionalLong.empty();
    }

    /** The share of the source that has been read, 0.0 to 1.0; empty if the size is unknown. Any thread. */
    default OptionalDouble share() {
        return OptionalDouble.empty();
    }

    /** Closes this reader and its source. A second call does nothing. */
    @Override
    void close();
}
