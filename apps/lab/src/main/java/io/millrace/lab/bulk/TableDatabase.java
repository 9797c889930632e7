// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;

/** A running database server with one empty database. Used by one thread. */
interface TableDatabase extends AutoCloseable {

    /** The JDBC URL with the user. The user may read and write everything. */
    String url();

    /** Creates the table {@link RowSource#TABLE} with the rows of the CSV file {@code csv}, which has a header line. */
    void fill(Path csv) throws IOException, SQLException;

    /** Stops the server. Without this call, the server ends with this JVM. */
    @Override
    void close() throws IOException;
}
