// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.sql.ResultSet;
import java.sql.SQLException;

/** Reads one column of the current record into a row; picked once, when the source is opened. */
@FunctionalInterface
interface ColumnReader {

    /**
     * Adds the value of {@code column} to {@code row}, exactly one.
     *
     * @param column from 1, as JDBC counts
     */
    void read(ResultSet from, int column, Row row) throws SQLException;
}
