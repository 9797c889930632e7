// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.server.Keyspace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import redis.clients.jedis.Pipeline;

/** Customers with five columns: as rows of a CSV file, and as one hash for each row. */
record RowData(long rows) {

    static final List<String> COLUMNS = List.of("id", "name", "email", "city", "balance");

    /** What the key of a row begins with. The separator and the id follow. */
    static final String KEYSPACE = Keyspace.PREFIX + "row";

    private static final List<String> FIRST =
            List.of("Ada", "Bela", "Chen", "Dora", "Emil", "Fatou", "Goran", "Hana", "Ines", "Jamal", "Kirsten");
    private static final List<String> LAST =
            List.of("Abbas", "Berger", "Castro", "Dubois", "Eriksen", "Fontana", "Grant", "Haddad", "Ito", "Jensen");
    private static final List<String> CITIES =
            List.of("Aarhus", "Bergamo", "Cork", "Dakar", "Essen", "Fukuoka", "Genoa", "Hanoi", "Izmir", "Jena");

    private static String key(long n) {
        return KEYSPACE + ":" + n;
    }

    /** The values of row {@code n}. One name in sixteen contains a comma. */
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

    /** The mixing function of SplitMix64, without the sign. */
    private static long mixed(long n) {
        long z = (n + 1) * 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return (z ^ (z >>> 31)) >>> 1;
    }

    private static Map<String, String> fields(long n) {
        var values = values(n);
        var fields = new LinkedHashMap<String, String>();
        for (int i = 0; i < COLUMNS.size(); i++) {
            fields.put(COLUMNS.get(i), values.get(i));
        }
        return fields;
    }

    /** The words of the {@code HSET} of each row. */
    Stream<List<String>> hsets() {
        return LongStream.range(0, rows).mapToObj(n -> {
            var words = new ArrayList<>(List.of("HSET", key(n)));
            fields(n).forEach((name, value) -> words.addAll(List.of(name, value)));
            return words;
        });
    }

    /** Writes the rows with a header line, and returns {@code file}. */
    Path writeCsv(Path file) {
        try (var out = Files.newBufferedWriter(file)) {
            out.write(String.join(",", COLUMNS) + "\n");
            for (long n = 0; n < rows; n++) {
                var quoted = values(n).stream()
                        .map(value -> value.contains(",") ? '"' + value + '"' : value)
                        .toList();
                out.write(String.join(",", quoted) + "\n");
            }
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the CSV file: file=" + file, e);
        }
    }

    ServerUse server() {
        return ServerUse.checkedBy(
                new DataCheck<>(rows, rows, "hset", "hset", RowData::key, Pipeline::hgetAll, RowData::fields));
    }
}
