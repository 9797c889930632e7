// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Reads one column of the current record into a row. The source selects the reader of each column once, when the source
 * is opened.
 */
@FunctionalInterface
interface ColumnReader {

    /**
     * Adds exactly one value to {@code row}, the value of {@code column}.
     *
     * @param column index from 1, as in JDBC
     */
    void read(ResultSet from, int column, Row row) throws SQLException;
}
