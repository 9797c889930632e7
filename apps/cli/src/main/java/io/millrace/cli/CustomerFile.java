// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/** The demo's CSV file of customers. The same seed gives the same rows. */
final class CustomerFile {

    private static final int STOP_CHECK_ROWS = 1_000;
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

    private CustomerFile() {}

    /**
     * Creates the file. A million rows take about a second.
     *
     * @param stopped asked after every thousand rows whether the work must stop
     * @return false if {@code stopped} ended the work early
     */
    static boolean create(Path file, int rows, long seed, BooleanSupplier stopped) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        StringBuilder line = new StringBuilder();
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            out.write("id,name,email,country,city,signed_up,last_order,balance,vip\n");
            for (int id = 1; id <= rows; id++) {
                line.setLength(0);
                appendRow(line, id, random);
                out.append(line);
                if (id % STOP_CHECK_ROWS == 0 && stopped.getAsBoolean()) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Appends one line. An empty field is NULL: about every fifth customer has no last order. */
    private static void appendRow(StringBuilder line, int id, SplittableRandom random) {
        String first = FIRST[random.nextInt(FIRST.length)];
        String last = LAST[random.nextInt(LAST.length)];
        String[] countryAndCity = PLACES[random.nextInt(PLACES.length)];
        String country = countryAndCity[0].toLowerCase(Locale.ROOT);
        long signedUp = FIRST_SIGN_UP + random.nextLong(SIGN_UP_SECONDS);
        line.append(id).append(',');
        line.append('"').append(last).append(", ").append(first).append("\",");
        line.append("customer").append(id).append('@').append(country).append(".example,");
        line.append(countryAndCity[0]).append(',').append(countryAndCity[1]).append(',');
        line.append(Instant.ofEpochSecond(signedUp)).append(',');
        if (random.nextInt(5) != 0) {
            line.append(Instant.ofEpochSecond(signedUp + random.nextInt(30_000_000)));
        }
        int cents = random.nextInt(-10_000, 500_000);
        line.append(',')
                .append(cents < 0 ? "-" : "")
                .append(Math.abs(cents) / 100)
                .append('.');
        line.append(Math.abs(cents) % 100 < 10 ? "0" : "").append(Math.abs(cents) % 100);
        line.append(',').append(random.nextInt(20) == 0).append('\n');
    }
}
