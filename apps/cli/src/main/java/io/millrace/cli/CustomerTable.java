// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.Instant;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/** The demo's SQLite table of customers. The same seed gives the same rows. */
final class CustomerTable {

    static final String NAME = "customers";

    private static final int BATCH = 1_000;
    private static final long FIRST_SIGN_UP =
            Instant.parse("2015-01-01T00:00:00Z").getEpochSecond();
    private static final long SIGN_UP_SECONDS = 10L * 365 * 24 * 3600;

    private static final String[] FIRST = {
        "Ada", "Alan", "Amina", "Anna", "Björn", "Carlos", "Chiara", "Chloé", "Dmitri", "Edsger", "Elena", "Emma",
                "Fatima",
        "Grace", "Haruka", "Ivan", "Jürgen", "Kofi", "Leila", "Linus", "Margaret", "Mateo", "Mei", "Noah", "Olga",
                "Priya",
        "Radia", "Sofía", "Tariq", "Yuki", "Zoë", "Łukasz"
    };
    private static final String[] LAST = {
        "Adeyemi", "Andersson", "Bianchi", "Brown", "Costa", "Dijkstra", "Dubois", "Fernández", "García", "Haddad",
                "Hopper",
        "Ivanova", "Jensen", "Kim", "Kowalski", "Kumar", "Lovelace", "Meyer", "Müller", "Nakamura", "Nguyen", "Novák",
        "O'Brien", "Okafor", "Patel", "Perlman", "Rossi", "Silva", "Smith", "Tanaka", "Turing", "Wang"
    };
    private static final String[][] PLACES = {
        {"DE", "Berlin"},
        {"DE", "Köln"},
        {"FR", "Paris"},
        {"FR", "Lyon"},
        {"ES", "Madrid"},
        {"IT", "Milano"},
        {"GB", "London"},
        {"GB", "Leeds"},
        {"US", "New York"},
        {"US", "Austin"},
        {"BR", "São Paulo"},
        {"IN", "Pune"},
        {"JP", "大阪"},
        {"NG", "Lagos"},
        {"PL", "Kraków"},
        {"SE", "Malmö"}
    };

    private CustomerTable() {}

    /** Returns the JDBC URL of {@code file}. */
    static String url(Path file) {
        return "jdbc:sqlite:" + file;
    }

    /**
     * Creates the table in a new database. A million rows take about 3 s.
     *
     * @param stopped asked after every thousand rows whether the work must stop
     * @return false if {@code stopped} ended the work early
     */
    static boolean create(Path file, int rows, long seed, BooleanSupplier stopped) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url(file))) {
            try (Statement statement = connection.createStatement()) {
                // The file is temporary, so the data does not need to survive a crash.
                statement.execute("PRAGMA journal_mode=OFF");
                statement.execute("PRAGMA synchronous=OFF");
                statement.execute(
                        "CREATE TABLE " + NAME + " (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL, "
                                + "country TEXT NOT NULL, city TEXT NOT NULL, signed_up TEXT NOT NULL, last_order TEXT, "
                                + "balance DECIMAL(10,2) NOT NULL, vip BOOLEAN NOT NULL)");
            }
            connection.setAutoCommit(false);
            boolean complete = insert(connection, rows, new SplittableRandom(seed), stopped);
            connection.commit();
            return complete;
        }
    }

    private static boolean insert(Connection connection, int rows, SplittableRandom random, BooleanSupplier stopped)
            throws SQLException {
        String sql = "INSERT INTO " + NAME + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            for (int id = 1; id <= rows; id++) {
                bind(insert, id, random);
                insert.addBatch();
                if (id % BATCH == 0 || id == rows) {
                    insert.executeBatch();
                    if (stopped.getAsBoolean()) {
                        return false;
                    }
                }
            }
        }
        return true;
    }

    private static void bind(PreparedStatement insert, int id, SplittableRandom random) throws SQLException {
        String first = FIRST[random.nextInt(FIRST.length)];
        String last = LAST[random.nextInt(LAST.length)];
        String[] cityAndCountry = PLACES[random.nextInt(PLACES.length)];
        long signedUp = FIRST_SIGN_UP + random.nextLong(SIGN_UP_SECONDS);
        insert.setInt(1, id);
        insert.setString(2, first + " " + last);
        insert.setString(3, "customer" + id + "@" + cityAndCountry[0].toLowerCase(Locale.ROOT) + ".example");
        insert.setString(4, cityAndCountry[0]);
        insert.setString(5, cityAndCountry[1]);
        insert.setString(6, Instant.ofEpochSecond(signedUp).toString());
        if (random.nextInt(5) == 0) {
            insert.setNull(7, Types.VARCHAR);
        } else {
            insert.setString(
                    7,
                    Instant.ofEpochSecond(signedUp + random.nextInt(30_000_000)).toString());
        }
        insert.setDouble(8, random.nextInt(-10_000, 500_000) / 100.0);
        insert.setBoolean(9, random.nextInt(20) == 0);
    }
}
