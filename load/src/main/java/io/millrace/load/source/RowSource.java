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

    /** The order of the rows. The default is {@link RowOrder#STABLE}. */
    default RowOrder order() {
        return RowOrder.STABLE;
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
