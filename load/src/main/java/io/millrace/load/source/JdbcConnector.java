// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.util.Optional;

/** Connects a {@link JdbcSource} to its database. */
sealed interface JdbcConnector permits DriverConnector, DataSourceConnector {

    /**
     * Opens or borrows a connection, and begins the transaction of a reader. Blocks.
     *
     * @param name name of the source in messages
     * @param snapshot the state of the database to read; empty for the present state
     * @throws SourceException if there is no connection
     */
    ReadTransaction begin(String name, Optional<String> snapshot);
}
