// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.server.Keyspace;
import io.millrace.lab.server.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import redis.clients.jedis.Pipeline;

/** Customers with five columns: as rows of a CSV file, and as one hash for each row. */
public record RowData(long rows) {

    public static final List<String> COLUMNS = List.of("id", "name", "email", "city", "balance");

    /** What the key of a row begins with. The separator and the id follow. */
    public static final String KEYSPACE = Keyspace.PREFIX + "row";

    private static final List<String> FIRST =
            List.of("Ada", "Bela", "Chen", "Dora", "Emil", "Fatou", "Goran", "Hana", "Ines", "Jamal", "Kirsten");
    private static final List<String> LAST =
            List.of("Abbas", "Berger", "Castro", "Dubois", "Eriksen", "Fontana", "Grant", "Haddad", "Ito", "Jensen");
    private static final List<String> CITIES =
            List.of("Aarhus", "Bergamo", "Cork", "Dakar", "Essen", "Fukuoka", "Genoa", "Hanoi", "Izmir", "Jena");

    public static String key(long n) {
        return KEYSPACE + ":" + n;
    }

    /** The values of row {@code n}. One name in sixteen contains a comma. */
    public static List<String> values(long n) {
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

    /** The values of row {@code n} by their columns. */
    public static Map<String, String> fields(long n) {
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
        return write(
                file,
                String.join(",", COLUMNS) + "\n",
                n -> values(n).stream()
                        .map(value -> value.contains(",") ? '"' + value + '"' : value)
                        .collect(Collectors.joining(",")));
    }

    /** Writes a JSON object on each line, and returns {@code file}. */
    Path writeJsonLines(Path file) {
        return write(file, "", n -> json(values(n)));
    }

    private Path write(Path file, String header, LongFunction<String> line) {
        try (var out = Files.newBufferedWriter(file)) {
            out.write(header);
            for (long n = 0; n < rows; n++) {
                out.write(line.apply(n));
                out.write('\n');
            }
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the rows: file=" + file, e);
        }
    }

    /** The row as a JSON document; no value needs an escape. */
    public static String json(List<String> values) {
        return "{\"id\":" + values.get(0) + ",\"name\":\"" + values.get(1) + "\",\"email\":\"" + values.get(2)
                + "\",\"city\":\"" + values.get(3) + "\",\"balance\":" + values.get(4) + "}";
    }

    /** The number of characters of all values. */
    long characters() {
        return LongStream.range(0, rows)
                .map(n -> values(n).stream().mapToInt(String::length).sum())
                .sum();
    }

    /** Expects one hash for each row. */
    DataCheck<Map<String, String>> hashes() {
        return new DataCheck<>(rows, rows, "hset", "hset", RowData::key, Pipeline::hgetAll, RowData::fields);
    }

    /** Expects one JSON document for each row. */
    DataCheck<String> documents() {
        return new DataCheck<>(rows, rows, "set", "mset", RowData::key, Pipeline::get, n -> json(values(n)));
    }

    /** The complaints about keys and values, without the number of commands. */
    public List<String> dataComplaints(RedisServer server, boolean isDocuments) {
        return (isDocuments ? documents() : hashes()).dataComplaints(server);
    }

    public ServerUse server() {
        return ServerUse.checkedBy(hashes());
    }
}
