// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

/** A table, a query or a file that can be read as rows. Describes only: nothing is opened before {@link #open}. */
public interface RowSource {

    /** What to call this source in reports and rejects: a path, or a JDBC URL without its secrets. */
    String name();

    /** False where a second {@link #open} would not give the same rows again, as for standard input. */
    boolean readableAgain();

    /**
     * Opens the source and learns its columns, without reading more than that needs.
     *
     * @throws SourceException if it cannot be opened; the message says what and why in one line
     */
    RowReader open();
}
