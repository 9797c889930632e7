// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.server.LabException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Where a loader gets rows from: a CSV file, or a table of a database. Used by one thread. */
public final class RowSource {

    public static final String TABLE = "customers";

    private enum Kind {
        CSV,
        POSTGRES,
        MARIADB
    }

    private final RowData rows;
    private final Kind kind;
    private @Nullable TableDatabase database;

    private RowSource(RowData rows, Kind kind) {
        this.rows = rows;
        this.kind = kind;
    }

    /** A CSV file. */
    public static RowSource csv(RowData rows) {
        return new RowSource(rows, Kind.CSV);
    }

    /** A table of an embedded PostgreSQL. */
    public static RowSource table(RowData rows) {
        return new RowSource(rows, Kind.POSTGRES);
    }

    /** A table of the MariaDB of this machine. */
    static RowSource mariaDb(RowData rows) {
        return new RowSource(rows, Kind.MARIADB);
    }

    long rows() {
        return rows.rows();
    }

    boolean isTable() {
        return kind != Kind.CSV;
    }

    /** Why there is no such source here; empty if there is. */
    Optional<String> missing(Target target) {
        return kind == Kind.MARIADB ? MariaDbTable.missing() : Optional.empty();
    }

    /** Writes the file. For a table, starts the database and loads the file into the table. */
    public void prepare(WorkContext context) throws IOException {
        var csv = rows.writeCsv(file(context));
        if (isTable()) {
            release();
            var started =
                    kind == Kind.MARIADB ? MariaDbTable.start(context.folder()) : PostgresTable.start(context.folder());
            database = started;
            try {
                started.fill(csv);
            } catch (SQLException e) {
                throw new LabException("cannot fill the table: rows=" + rows.rows() + ", cause=" + e.getMessage(), e);
            }
            Files.delete(csv);
        }
    }

    /** The path of the file, or the JDBC URL of the database. */
    public String location(WorkContext context) {
        if (!isTable()) {
            return file(context).toString();
        }
        return Optional.ofNullable(database)
                .orElseThrow(() -> new IllegalStateException("the database is not started"))
                .url();
    }

    private static Path file(WorkContext context) {
        return context.folder().resolve("rows.csv");
    }

    /** Stops the database. Without this call, the database ends with this JVM. */
    public void release() throws IOException {
        if (database != null) {
            database.close();
            database = null;
        }
    }
}
