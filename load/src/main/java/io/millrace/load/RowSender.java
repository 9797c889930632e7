// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.source.Row;

/**
 * Sends the rows of a load, and passes the outcome of each row to a listener. Confined to the loading thread, except
 * {@link #totals} and {@link #abort}.
 */
interface RowSender extends AutoCloseable {

    /** Returns a row object for the next record. */
    Row freeRow();

    /** Begins the command that writes {@code row}, which the mapping has prepared, and adds its arguments. */
    void begin(Row row);

    /** Ends the command. After this call, the caller must not use {@code row}. */
    void end(Row row);

    /** Blocks until every row has its outcome. */
    void finish();

    /** Nanoseconds that the loading thread has waited for the server. */
    long waitNanos();

    /** The totals so far. Any thread. */
    ReplaceableWriter.WriterTotals totals();

    /** Closes the connections without waiting for replies. Any thread. */
    void abort();

    @Override
    void close();
}
