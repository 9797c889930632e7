// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * How many rows a table has.
 *
 * @param rows empty if the database cannot say so cheaply
 * @param isExact false if it is what the database guesses
 */
record TableSize(OptionalLong rows, boolean isExact) {

    static final TableSize UNKNOWN = new TableSize(OptionalLong.empty(), false);

    /**
     * Asks the database, as its dialect knows how to; a view or a database that cannot say is of unknown size. To be called
     * before the table is read, since not every driver can do both at once.
     *
     * @param quoted the table as SQL has it
     * @param plain its name alone
     */
    static TableSize of(Connection connection, SqlDialect dialect, String quoted, String plain) throws SQLException {
        Optional<SqlDialect.SizeQuery> query = dialect.sizeQuery(quoted, plain);
        return query.isPresent() ? ask(connection, query.get()) : UNKNOWN;
    }

    OptionalLong exact() {
        return isExact ? rows : OptionalLong.empty();
    }

    /** Which share of the table {@code read} rows are. A guess may be too low, so never more than all of it. */
    OptionalDouble share(long read) {
        if (rows.isEmpty()) {
            return OptionalDouble.empty();
        }
        return OptionalDouble.of(rows.getAsLong() == 0 ? 1 : Math.min(1, read / (double) rows.getAsLong()));
    }

    private static TableSize ask(Connection connection, SqlDialect.SizeQuery query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query.sql())) {
            long count = rows.next() ? rows.getLong(1) : -1;
            boolean known = count >= 0 && !rows.wasNull();
            return known ? new TableSize(OptionalLong.of(count), query.isExact()) : UNKNOWN;
        } catch (SQLException e) {
            // Only for the progress display; whether the rows can be read will show when they are.
            connection.rollback();
            return UNKNOWN;
        }
    }
}
