// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.workload;

import io.millrace.lab.run.LabException;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.postgresql.PGConnection;

/** A PostgreSQL of the lab's own, with the rows of {@link RowData} in the table {@value #TABLE}. */
final class PostgresServer implements AutoCloseable {

    static final String TABLE = "customers";

    private static final String CREATE = "CREATE TABLE " + TABLE
            + " (id bigint PRIMARY KEY, name text, email text, city text, balance numeric(12, 2))";

    private final EmbeddedPostgres postgres;

    private PostgresServer(EmbeddedPostgres postgres) {
        this.postgres = postgres;
    }

    /** Starts the server with its files in {@code folder} and fills the table. */
    static PostgresServer start(Path folder, long rows) {
        try {
            var server = new PostgresServer(EmbeddedPostgres.builder()
                    .setDataDirectory(folder.resolve("postgres"))
                    .setServerConfig("fsync", "off") // nothing here must survive a crash
                    .start());
            server.fillOrEnd(rows);
            return server;
        } catch (IOException e) {
            throw new LabException("the embedded PostgreSQL does not start: cause=" + e.getMessage(), e);
        }
    }

    private void fillOrEnd(long rows) {
        try {
            fill(rows);
        } catch (SQLException | IOException e) {
            close();
            throw new LabException("cannot fill the table: rows=" + rows + ", cause=" + e.getMessage(), e);
        }
    }

    private void fill(long rows) throws SQLException, IOException {
        try (var connection = DriverManager.getConnection(url());
                var statement = connection.createStatement()) {
            statement.execute(CREATE);
            var copy = connection
                    .unwrap(PGConnection.class)
                    .getCopyAPI()
                    .copyIn("COPY " + TABLE + " FROM STDIN WITH (FORMAT csv, HEADER true)");
            try (var out = new CopyWriter(copy)) {
                RowData.writeCsv(out, rows);
            }
            statement.execute("VACUUM ANALYZE " + TABLE); // or the first reader would pay for the hint bits
            statement.execute("CHECKPOINT");
        }
    }

    String url() {
        return postgres.getJdbcUrl("postgres", "postgres");
    }

    @Override
    public void close() {
        try {
            postgres.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
