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

/** Finds tables by the names people type, and quotes them. */
final class TableName {

    private static final int SHOWN = 8;

    private final Connection connection;
    private final String name;

    TableName(Connection connection, String name) {
        this.connection = connection;
        this.name = name;
    }

    /** The name as typed: parts between dots, each quoted. */
    String quoted() throws SQLException {
        return quoted(Arrays.asList(name.split("\\.", -1)));
    }

    private String quoted(List<String> parts) throws SQLException {
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

    /** The tables and views there are, of every schema but the database's own. */
    List<Found> all() throws SQLException {
        List<Found> tables = new ArrayList<>();
        DatabaseMetaData meta = connection.getMetaData();
        try (ResultSet rows = meta.getTables(connection.getCatalog(), null, "%", null)) {
            while (rows.next()) {
                String type = String.valueOf(rows.getString("TABLE_TYPE")).toUpperCase(Locale.ROOT);
                Found found = new Found(rows.getString("TABLE_SCHEM"), rows.getString("TABLE_NAME"));
                if ((type.contains("TABLE") || type.contains("VIEW"))
                        && !type.contains("SYSTEM")
                        && !found.isSystem()) {
                    tables.add(found);
                }
            }
        }
        tables.sort(Comparator.comparing(Found::table, String.CASE_INSENSITIVE_ORDER));
        return tables;
    }

    /** Those of {@code tables} that are meant if case does not matter and the schema may be left out. */
    List<Found> meant(List<Found> tables) {
        return tables.stream()
                .filter(table ->
                        table.table.equalsIgnoreCase(name) || table.toString().equalsIgnoreCase(name))
                .toList();
    }

    /** {@code table}, quoted with its schema. */
    String quoted(Found table) throws SQLException {
        return quoted(table.schema == null ? List.of(table.table) : List.of(table.schema, table.table));
    }

    /** Some of {@code tables}, for a message. */
    static String some(List<Found> tables) {
        if (tables.isEmpty()) {
            return "there are none";
        }
        String names = tables.stream().limit(SHOWN).map(table -> table.table).collect(Collectors.joining(", "));
        int more = tables.size() - SHOWN;
        return "there are: " + names + (more > 0 ? " and " + more + " more" : "");
    }

    /** All of {@code tables} with their schemas. */
    static String full(List<Found> tables) {
        return tables.stream().map(Found::toString).collect(Collectors.joining(", "));
    }

    /** A table of the database. */
    record Found(@Nullable String schema, String table) {

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
