// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

/** Connects a {@link JdbcSource} to its database. */
sealed interface JdbcConnector permits DriverConnector, DataSourceConnector {

    /**
     * Opens or borrows a connection, and begins the transaction of a reader. Blocks.
     *
     * @param name name of the source in messages
     * @throws SourceException if there is no connection
     */
    ReadTransaction begin(String name);
}
