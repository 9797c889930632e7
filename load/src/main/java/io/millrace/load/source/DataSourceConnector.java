// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import javax.sql.DataSource;

/** Borrows connections of a data source, such as a pool. */
record DataSourceConnector(DataSource dataSource) implements JdbcConnector {

    @Override
    public ReadTransaction begin(String name, Optional<String> snapshot) {
        JdbcErrors errors = new JdbcErrors(name, List.of());
        Connection connection;
        try {
            connection = dataSource.getConnection();
        } catch (SQLException | RuntimeException e) {
            throw errors.connecting(e);
        }
        try {
            DatabaseMetaData meta = connection.getMetaData();
            JdbcUrl url = JdbcUrl.of(Objects.requireNonNullElse(meta.getURL(), ""));
            SqlDialect dialect = SqlDialect.ofProduct(String.valueOf(meta.getDatabaseProductName()));
            return ReadTransaction.beginBorrowed(
                    connection, dialect, url, new JdbcErrors(name, url.secrets()), snapshot);
        } catch (SQLException | RuntimeException e) {
            ReadTransaction.attempt(connection::close);
            throw errors.connecting(e);
        }
    }
}
