// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * The number of rows of a table.
 *
 * @param rows empty if the database cannot report the number at low cost
 * @param isExact false if the number is an estimate by the database
 */
record TableSize(OptionalLong rows, boolean isExact) {

    static final TableSize UNKNOWN = new TableSize(OptionalLong.empty(), false);

    /**
     * Queries the size with the query of the dialect. The size of a view is unknown. Call this before the table is
     * read, because some drivers cannot run two queries at once.
     *
     * @param quoted quoted name of the table in SQL
     * @param plain plain name of the table
     */
    static TableSize of(ReadTransaction transaction, String quoted, String plain) throws SQLException {
        Optional<SqlDialect.SizeQuery> query = transaction.dialect().sizeQuery(quoted, plain);
        return query.isPresent() ? ask(transaction, query.get()) : UNKNOWN;
    }

    OptionalLong exact() {
        return isExact ? rows : OptionalLong.empty();
    }

    /**
     * The share of the table that has been read, after {@code read} rows. The share is limited to 1.0, because the
     * number of rows may be an estimate that is too low.
     */
    OptionalDouble share(long read) {
        if (rows.isEmpty()) {
            return OptionalDouble.empty();
        }
        return OptionalDouble.of(rows.getAsLong() == 0 ? 1 : Math.min(1, read / (double) rows.getAsLong()));
    }

    private static TableSize ask(ReadTransaction transaction, SqlDialect.SizeQuery query) throws SQLException {
        try (Statement statement = transaction.connection().createStatement();
                ResultSet rows = statement.executeQuery(query.sql())) {
            long count = rows.next() ? rows.getLong(1) : -1;
            boolean known = count >= 0 && !rows.wasNull();
            return known ? new TableSize(OptionalLong.of(count), query.isExact()) : UNKNOWN;
        } catch (SQLException e) {
            // The size is needed only for the progress display. If the failure is permanent, the query that reads the
            // table reports it later.
            transaction.restart();
            return UNKNOWN;
        }
    }
}
