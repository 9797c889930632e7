// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.util.List;

/** An open source. Confined to one thread; blocks while it reads. */
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

    @Override
    void close();
}
