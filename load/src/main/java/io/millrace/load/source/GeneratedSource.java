// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import io.millrace.client.Setting;
import io.millrace.client.Setting.Unit;
import io.millrace.load.source.SourceException.Kind;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Generated rows of customers, for tries and measurements. The same number of rows and the same seed give the same
 * rows. A row costs about as much as a row of a CSV file, and needs no file.
 *
 * <p>The columns are {@code id} (from 1), {@code name}, {@code email}, {@code country}, {@code city}, {@code
 * signed_up}, {@code last_order} (NULL in about every fifth row), {@code balance} and {@code vip}.
 */
public final class GeneratedSource implements RowSource {

    /** Range: 1 to 1,000,000,000,000. Default: 1,000,000, which takes a few seconds. */
    public static final Setting<Long> ROWS =
            new Setting<>("rows", 1L, 1_000_000_000_000L, 1_000_000L, Unit.COUNT, "Number of generated rows.");

    private static final List<Column> COLUMNS =
            List.of("id", "name", "email", "country", "city", "signed_up", "last_order", "balance", "vip").stream()
                    .map(Column::new)
                    .toList();

    private final long rows;
    private final long seed;

    private GeneratedSource(long rows, long seed) {
        this.rows = ROWS.check(rows);
        this.seed = seed;
    }

    /**
     * Customers.
     *
     * @param rows {@link #ROWS}
     * @throws IllegalArgumentException if {@code rows} is out of range
     */
    public static GeneratedSource customers(long rows, long seed) {
        return new GeneratedSource(rows, seed);
    }

    @Override
    public String name() {
        return "gen:" + rows + (seed == 0 ? "" : "?seed=" + seed);
    }

    @Override
    public boolean readableAgain() {
        return true;
    }

    /** The number of rows and the seed. */
    @Override
    public String toString() {
        return "GeneratedSource[" + name() + "]";
    }

    @Override
    public RowReader open() {
        return new CustomerRowReader(rows, seed);
    }

    private static final class CustomerRowReader implements RowReader {

        private static final byte[][] FIRST = bytes(
                "Ada",
                "Alan",
                "Amina",
                "Anna",
                "Björn",
                "Carlos",
                "Chiara",
                "Chloé",
                "Dmitri",
                "Edsger",
                "Elena",
                "Emma",
                "Fatima",
                "Grace",
                "Haruka",
                "Ivan",
                "Jürgen",
                "Kofi",
                "Leila",
                "Linus",
                "Margaret",
                "Mateo",
                "Mei",
                "Noah",
                "Olga",
                "Priya",
                "Radia",
                "Sofía",
                "Tariq",
                "Yuki",
                "Zoë",
                "Łukasz");
        private static final byte[][] LAST = bytes(
                "Adeyemi",
                "Andersson",
                "Bianchi",
                "Brown",
                "Costa",
                "Dijkstra",
                "Dubois",
                "Fernández",
                "García",
                "Haddad",
                "Hopper",
                "Ivanova",
                "Jensen",
                "Kim",
                "Kowalski",
                "Kumar",
                "Lovelace",
                "Meyer",
                "Müller",
                "Nakamura",
                "Nguyen",
                "Novák",
                "O'Brien",
                "Okafor",
                "Patel",
                "Perlman",
                "Rossi",
                "Silva",
                "Smith",
                "Tanaka",
                "Turing",
                "Wang");
        private static final String[] COUNTRY_CODES = {
            "DE", "DE", "FR", "FR", "ES", "IT", "GB", "GB", "US", "US", "BR", "IN", "JP", "NG", "PL", "SE"
        };
        private static final byte[][] COUNTRIES = bytes(COUNTRY_CODES);
        private static final byte[][] CITIES = bytes(
                "Berlin",
                "Köln",
                "Paris",
                "Lyon",
                "Madrid",
                "Milano",
                "London",
                "Leeds",
                "New York",
                "Austin",
                "São Paulo",
                "Pune",
                "大阪",
                "Lagos",
                "Kraków",
                "Malmö");
        private static final byte[][] MAIL_ENDS = bytes(Arrays.stream(COUNTRY_CODES)
                .map(code -> "@" + code.toLowerCase(Locale.ROOT) + ".example")
                .toArray(String[]::new));
        private static final byte[] MAIL_BEGIN = "customer".getBytes(StandardCharsets.US_ASCII);
        private static final byte[] COMMA = {',', ' '};

        /** 2015-01-01T00:00:00Z in seconds since 1970. */
        private static final long FIRST_SIGN_UP = 1_420_070_400L;

        private static final long SIGN_UP_SECONDS = 10L * 365 * 24 * 3600;
        private static final int LAST_ORDER_SECONDS = 30_000_000;

        private final long rows;
        private final SplittableRandom random;
        private final byte[] scratch = new byte[32];
        /** Written by the loading thread. */
        private final AtomicLong delivered = new AtomicLong();

        private volatile boolean cancelled;

        CustomerRowReader(long rows, long seed) {
            this.rows = rows;
            this.random = new SplittableRandom(seed);
        }

        private static byte[][] bytes(String... texts) {
            return Arrays.stream(texts)
                    .map(text -> text.getBytes(StandardCharsets.UTF_8))
                    .toArray(byte[][]::new);
        }

        @Override
        public List<Column> columns() {
            return COLUMNS;
        }

        @Override
        public boolean next(Row row) {
            row.clear(0, 0);
            long id = delivered.getPlain() + 1;
            if (cancelled) {
                throw new SourceException(
                        Kind.BROKEN, "generating rows failed after " + (id - 1) + " rows (cancelled)");
            }
            if (id > rows) {
                return false;
            }
            row.clear(id, 0);
            fill(row, id);
            delivered.lazySet(id);
            return true;
        }

        private void fill(Row row, long id) {
            byte[] first = FIRST[random.nextInt(FIRST.length)];
            byte[] last = LAST[random.nextInt(LAST.length)];
            int place = random.nextInt(CITIES.length);
            row.add(id);
            row.append(last, 0, last.length);
            row.append(COMMA, 0, COMMA.length);
            row.append(first, 0, first.length);
            row.end(Row.Kind.TEXT);
            int digits = digits(id);
            row.append(MAIL_BEGIN, 0, MAIL_BEGIN.length);
            row.append(scratch, scratch.length - digits, digits);
            row.append(MAIL_ENDS[place], 0, MAIL_ENDS[place].length);
            row.end(Row.Kind.TEXT);
            row.add(Row.Kind.TEXT, COUNTRIES[place]);
            row.add(Row.Kind.TEXT, CITIES[place]);
            long signedUp = FIRST_SIGN_UP + random.nextLong(SIGN_UP_SECONDS);
            addInstant(row, signedUp);
            if (random.nextInt(5) == 0) {
                row.addNull();
            } else {
                addInstant(row, signedUp + random.nextInt(LAST_ORDER_SECONDS));
            }
            addMoney(row, random.nextInt(-10_000, 500_000));
            row.add(random.nextInt(20) == 0);
        }

        /** Writes the digits of {@code value} at the end of {@link #scratch}, and returns their number. */
        private int digits(long value) {
            int at = scratch.length;
            long rest = value;
            do {
                scratch[--at] = (byte) ('0' + rest % 10);
                rest /= 10;
            } while (rest != 0);
            return scratch.length - at;
        }

        /** Adds an amount with two decimals. */
        private void addMoney(Row row, int cents) {
            int absolute = Math.abs(cents);
            int digits = digits(absolute / 100);
            if (cents < 0) {
                scratch[0] = '-';
                row.append(scratch, 0, 1);
            }
            row.append(scratch, scratch.length - digits, digits);
            scratch[0] = '.';
            two(1, absolute % 100);
            row.append(scratch, 0, 3);
            row.end(Row.Kind.NUMBER);
        }

        /** Adds a time in ISO 8601, such as {@code 2026-11-21T12:00:00Z}. */
        private void addInstant(Row row, long epochSecond) {
            long day = Math.floorDiv(epochSecond, 86_400L);
            int second = Math.floorMod(epochSecond, 86_400);
            // Days since 0000-03-01, so that a leap day is the last day of a year.
            long shifted = day + 719_468;
            long era = Math.floorDiv(shifted, 146_097L);
            int dayOfEra = (int) (shifted - era * 146_097);
            int yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365;
            int dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
            int shiftedMonth = (5 * dayOfYear + 2) / 153;
            int month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
            int year = (int) (yearOfEra + era * 400) + (month <= 2 ? 1 : 0);
            two(0, year / 100);
            two(2, year % 100);
            scratch[4] = '-';
            two(5, month);
            scratch[7] = '-';
            two(8, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1);
            scratch[10] = 'T';
            two(11, second / 3_600);
            scratch[13] = ':';
            two(14, second / 60 % 60);
            scratch[16] = ':';
            two(17, second % 60);
            scratch[19] = 'Z';
            row.add(Row.Kind.TEXT, scratch, 0, 20);
        }

        private void two(int at, int value) {
            scratch[at] = (byte) ('0' + value / 10);
            scratch[at + 1] = (byte) ('0' + value % 10);
        }

        @Override
        public OptionalLong expectedRows() {
            return OptionalLong.of(rows);
        }

        @Override
        public OptionalDouble share() {
            return OptionalDouble.of(delivered.get() / (double) rows);
        }

        @Override
        public void cancel() {
            cancelled = true;
        }

        @Override
        public void close() {
            // There is nothing to close.
        }
    }
}
