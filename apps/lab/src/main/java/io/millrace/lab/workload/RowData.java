// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.workload;

import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import redis.clients.jedis.Jedis;

/** Customers of five columns, as rows of a CSV file or a table, and as {@code HSET row:42 id 42 name … }. */
public final class RowData implements Dataset {

    /** The columns in their order. */
    static final List<String> COLUMNS = List.of("id", "name", "email", "city", "balance");

    /** The template of a row's key. */
    public static final String KEY = "row:{id}";

    private static final List<String> FIRST =
            List.of("Ada", "Bela", "Chen", "Dora", "Emil", "Fatou", "Goran", "Hana", "Ines", "Jamal", "Kirsten");
    private static final List<String> LAST =
            List.of("Abbas", "Berger", "Castro", "Dubois", "Eriksen", "Fontana", "Grant", "Haddad", "Ito", "Jensen");
    private static final List<String> CITIES =
            List.of("Aarhus", "Bergamo", "Cork", "Dakar", "Essen", "Fukuoka", "Genoa", "Hanoi", "Izmir", "Jena");

    @Override
    public String command() {
        return "hset";
    }

    @Override
    public String fusedCommand() {
        return "hset";
    }

    @Override
    public List<String> words(long n) {
        var words = new ArrayList<>(List.of("HSET", key(n)));
        var values = values(n);
        for (int i = 0; i < COLUMNS.size(); i++) {
            words.add(COLUMNS.get(i));
            words.add(values.get(i));
        }
        return words;
    }

    private static String key(long n) {
        return "row:" + n;
    }

    /** The values of the n-th row; one name in sixteen has a comma in it. */
    static List<String> values(long n) {
        long random = mixed(n);
        var first = pick(FIRST, random);
        var last = pick(LAST, random >>> 8);
        var name = (random >>> 16) % 16 == 0 ? last + ", " + first : first + " " + last;
        long cents = (random >>> 24) % 10_000_000;
        return List.of(
                Long.toString(n),
                name,
                first.charAt(0) + "." + last + n + "@example.org",
                pick(CITIES, random >>> 32),
                cents / 100 + "." + cents % 100 / 10 + cents % 10);
    }

    private static String pick(List<String> words, long random) {
        return words.get((int) ((random & 0xFF) % words.size()));
    }

    /** A number without sign that looks as if it had nothing to do with {@code n}: the end of SplitMix64. */
    private static long mixed(long n) {
        long z = (n + 1) * 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return (z ^ (z >>> 31)) >>> 1;
    }

    /** Writes the rows as CSV with a header. */
    static void writeCsv(Writer out, long rows) throws IOException {
        out.write(String.join(",", COLUMNS) + "\n");
        for (long n = 0; n < rows; n++) {
            out.write(csvLine(n));
        }
    }

    private static String csvLine(long n) {
        return String.join(",", values(n).stream().map(RowData::quoted).toList()) + "\n";
    }

    private static String quoted(String value) {
        return value.contains(",") ? '"' + value + '"' : value;
    }

    @Override
    public List<String> differences(Jedis redis, long[] numbers) {
        var differences = new ArrayList<String>();
        try (var pipeline = redis.pipelined()) {
            var replies = new ArrayList<redis.clients.jedis.Response<Map<String, String>>>();
            for (long n : numbers) {
                replies.add(pipeline.hgetAll(key(n)));
            }
            pipeline.sync();
            for (int i = 0; i < numbers.length; i++) {
                var expected = fields(numbers[i]);
                var found = replies.get(i).get();
                if (!expected.equals(found)) {
                    differences.add(key(numbers[i]) + ": expected=" + expected + ", found=" + found);
                }
            }
        }
        return differences.stream().limit(3).toList();
    }

    private static Map<String, String> fields(long n) {
        var values = values(n);
        var fields = new java.util.LinkedHashMap<String, String>();
        for (int i = 0; i < COLUMNS.size(); i++) {
            fields.put(COLUMNS.get(i), values.get(i));
        }
        return fields;
    }
}
