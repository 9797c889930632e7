// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.server.LabException;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Optional;
import org.postgresql.PGConnection;

/** Where a loader gets rows from: a CSV file, or a table of an embedded PostgreSQL. Used by one thread. */
final class RowSource {

    static final String TABLE = "customers";

    private static final String CREATE = "CREATE TABLE " + TABLE
            + " (id bigint PRIMARY KEY, name text, email text, city text, balance numeric(12, 2))";

    private final RowData rows;
    private final boolean isTable;
    private Optional<EmbeddedPostgres> postgres = Optional.empty();

    private RowSource(RowData rows, boolean isTable) {
        this.rows = rows;
        this.isTable = isTable;
    }

    static RowSource csv(RowData rows) {
        return new RowSource(rows, false);
    }

    static RowSource table(RowData rows) {
        return new RowSource(rows, true);
    }

    long rows() {
        return rows.rows();
    }

    boolean isTable() {
        return isTable;
    }

    /** Writes the file. For a table, starts PostgreSQL and loads the file into the table. */
    void prepare(WorkContext context) throws IOException {
        var csv = rows.writeCsv(file(context));
        if (isTable) {
            release();
            var started = EmbeddedPostgres.builder()
                    .setDataDirectory(Files.createTempDirectory(context.folder(), "postgres"))
                    .setServerConfig("fsync", "off") // no data must survive a crash
                    .start();
            postgres = Optional.of(started);
            fill(location(context), csv);
            Files.delete(csv);
        }
    }

    private void fill(String url, Path csv) throws IOException {
        try (var connection = DriverManager.getConnection(url);
                var statement = connection.createStatement();
                var reader = Files.newBufferedReader(csv)) {
            statement.execute(CREATE);
            connection
                    .unwrap(PGConnection.class)
                    .getCopyAPI()
                    .copyIn("COPY " + TABLE + " FROM STDIN WITH (FORMAT csv, HEADER true)", reader);
            statement.execute("VACUUM ANALYZE " + TABLE); // otherwise the first reader writes the hint bits
            statement.execute("CHECKPOINT");
        } catch (SQLException e) {
            throw new LabException("cannot fill the table: rows=" + rows.rows() + ", cause=" + e.getMessage(), e);
        }
    }

    /** The path of the file, or the JDBC URL of the database. */
    String location(WorkContext context) {
        return isTable
                ? postgres.orElseThrow(() -> new IllegalStateException("PostgreSQL is not started"))
                        .getJdbcUrl("postgres", "postgres")
                : file(context).toString();
    }

    private static Path file(WorkContext context) {
        return context.folder().resolve("rows.csv");
    }

    /** Stops PostgreSQL. Without this call, PostgreSQL ends with this JVM. */
    void release() throws IOException {
        if (postgres.isPresent()) {
            postgres.get().close();
            postgres = Optional.empty();
        }
    }
}
