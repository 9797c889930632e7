// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.postgresql.PGConnection;

/** An embedded PostgreSQL. */
record PostgresTable(EmbeddedPostgres postgres) implements TableDatabase {

    private static final String CREATE = "CREATE TABLE " + RowSource.TABLE
            + " (id bigint PRIMARY KEY, name text, email text, city text, balance numeric(12, 2))";

    /** Starts the server with its data in {@code folder}. */
    static PostgresTable start(Path folder) throws IOException {
        return new PostgresTable(EmbeddedPostgres.builder()
                .setDataDirectory(Files.createTempDirectory(folder, "postgres"))
                .setServerConfig("fsync", "off") // no data must survive a crash
                .start());
    }

    @Override
    public String url() {
        return postgres.getJdbcUrl("postgres", "postgres");
    }

    @Override
    public void fill(Path csv) throws IOException, SQLException {
        try (var connection = DriverManager.getConnection(url());
                var statement = connection.createStatement();
                var reader = Files.newBufferedReader(csv)) {
            statement.execute(CREATE);
            connection
                    .unwrap(PGConnection.class)
                    .getCopyAPI()
                    .copyIn("COPY " + RowSource.TABLE + " FROM STDIN WITH (FORMAT csv, HEADER true)", reader);
            statement.execute("VACUUM ANALYZE " + RowSource.TABLE); // otherwise the first reader writes the hint bits
            statement.execute("CHECKPOINT");
        }
    }

    @Override
    public void close() throws IOException {
        postgres.close();
    }
}
