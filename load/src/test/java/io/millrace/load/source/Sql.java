// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/** Prepares databases for tests. */
final class Sql {

    private Sql() {}

    static void run(String url, String... statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url)) {
            run(connection, statements);
        }
    }

    static void run(Connection connection, String... statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }
}
