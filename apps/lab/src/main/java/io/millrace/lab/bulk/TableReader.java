// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Reads the table as the documentation of the drivers says for long results: forward only, without auto-commit, and with
 * as many rows in one request as Millrace's loader asks for.
 */
record TableReader(String url) {

    static final int FETCH_SIZE = 1_000;

    /** Gets each row as texts, in the order of {@link RowData#COLUMNS}. The array is reused for the next row. */
    @FunctionalInterface
    interface RowConsumer {
        void accept(String[] values);
    }

    /** Reads every row, and returns their number. */
    long read(RowConsumer consumer) throws SQLException {
        try (var connection = DriverManager.getConnection(url)) {
            connection.setAutoCommit(false);
            try (var statement = connection.createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY)) {
                statement.setFetchSize(FETCH_SIZE);
                try (var rows = statement.executeQuery("SELECT * FROM " + RowSource.TABLE)) {
                    return read(rows, consumer);
                }
            }
        }
    }

    private static long read(ResultSet rows, RowConsumer consumer) throws SQLException {
        var values = new String[RowData.COLUMNS.size()];
        long number = 0;
        while (rows.next()) {
            for (int i = 0; i < values.length; i++) {
                values[i] = rows.getString(i + 1);
            }
            consumer.accept(values);
            number++;
        }
        return number;
    }
}
