// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.util.Map;

/**
 * A table, a query or a file that can be read as rows. Nothing is opened before {@link #open}. To add a kind of source,
 * implement this interface, and register the source with the command line ({@code SourceChoice} in {@code apps/cli}).
 */
public interface RowSource {

    /** The name of this source in reports and in the rejects file: a path, or a JDBC URL without secrets. */
    String name();

    /** Whether the source can be opened a second time and gives the same rows again. False for standard input. */
    boolean readableAgain();

    /**
     * Facts about the rows that can be found without reading the rows, such as the size of a file or the text of a
     * query. A load continues an earlier load only if all facts are equal. Contains no secrets. The default has no
     * facts: then only the rows themselves are compared. May read the attributes of files.
     */
    default Map<String, String> identity() {
        return Map.of();
    }

    /**
     * Whether the source gives the same rows in the same order each time it is opened, as long as its data do not
     * change. False for a query without an order.
     */
    default boolean hasStableOrder() {
        return true;
    }

    /**
     * Whether the rows of one opening come in the order of the source. False if several parts of the source are read at
     * once: then a row of any part may come last.
     */
    default boolean isReadInOrder() {
        return true;
    }

    /**
     * Opens the source and reads its columns, but no row. Blocks until the source is open.
     *
     * @throws SourceException if the source cannot be opened; the message gives the reason in one line
     */
    RowReader open();

    /**
     * Opens the source like {@link #open()}, and passes an action to {@code listener} that cancels the opening. A source
     * that opens quickly, or that cannot cancel an opening, does not call the listener.
     *
     * @throws SourceException if the source cannot be opened, or if the opening was cancelled
     */
    default RowReader open(OpeningListener listener) {
        return open();
    }
}
