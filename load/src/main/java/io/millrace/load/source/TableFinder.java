// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Finds a table by the name that the user typed, and quotes names. */
final class TableFinder {

    private static final int MAX_IN_MESSAGE = 8;

    private final Connection connection;
    private final String name;

    TableFinder(Connection connection, String name) {
        this.connection = connection;
        this.name = name;
    }

    /** The name as typed, with each part between dots quoted. */
    String quoted() throws SQLException {
        return quoted(Arrays.asList(name.split("\\.", -1)));
    }

    private String quoted(List<String> parts) throws SQLException {
        return quoted(connection, name, parts);
    }

    /** The quoted name of a column. */
    static String quoted(Connection connection, String column) throws SQLException {
        return quoted(connection, column, List.of(column));
    }

    private static String quoted(Connection connection, String name, List<String> parts) throws SQLException {
        String quote = connection.getMetaData().getIdentifierQuoteString();
        if (quote == null || quote.isBlank()) {
            if (!name.matches("[\\w$.]+")) {
                throw new SQLException("this database cannot quote names");
            }
            return String.join(".", parts);
        }
        return parts.stream()
                .map(part -> quote + part.replace(quote, quote + quote) + quote)
                .collect(Collectors.joining("."));
    }

    /** All tables and views outside of system schemas. */
    List<Table> all() throws SQLException {
        List<Table> tables = new ArrayList<>();
        DatabaseMetaData meta = connection.getMetaData();
        try (ResultSet rows = meta.getTables(connection.getCatalog(), null, "%", null)) {
            while (rows.next()) {
                String type = String.valueOf(rows.getString("TABLE_TYPE")).toUpperCase(Locale.ROOT);
                Table found = new Table(rows.getString("TABLE_SCHEM"), rows.getString("TABLE_NAME"));
                if ((type.contains("TABLE") || type.contains("VIEW"))
                        && !type.contains("SYSTEM")
                        && !found.isSystem()) {
                    tables.add(found);
                }
            }
        }
        tables.sort(Comparator.comparing(Table::table, String.CASE_INSENSITIVE_ORDER));
        return tables;
    }

    /** The tables that match the name without regard to case, with or without the schema. */
    List<Table> matching(List<Table> tables) {
        return tables.stream()
                .filter(table ->
                        table.table.equalsIgnoreCase(name) || table.toString().equalsIgnoreCase(name))
                .toList();
    }

    /** The quoted name of {@code table} with its schema. */
    String quoted(Table table) throws SQLException {
        return quoted(table.schema == null ? List.of(table.table) : List.of(table.schema, table.table));
    }

    /** Lists the names of the first {@code tables}, for a message. */
    static String summary(List<Table> tables) {
        if (tables.isEmpty()) {
            return "there are none";
        }
        String names =
                tables.stream().limit(MAX_IN_MESSAGE).map(table -> table.table).collect(Collectors.joining(", "));
        int more = tables.size() - MAX_IN_MESSAGE;
        return "there are: " + names + (more > 0 ? " and " + more + " more" : "");
    }

    /** Returns the names of {@code tables}, each with its schema, separated by commas. */
    static String qualifiedNames(List<Table> tables) {
        return tables.stream().map(Table::toString).collect(Collectors.joining(", "));
    }

    /** A table of the database. */
    record Table(@Nullable String schema, String table) {

        boolean isSystem() {
            String of = schema == null ? "" : schema.toLowerCase(Locale.ROOT);
            return of.equals("information_schema") || of.startsWith("pg_") || table.startsWith("sqlite_");
        }

        @Override
        public String toString() {
            return schema == null ? table : schema + "." + table;
        }
    }
}
