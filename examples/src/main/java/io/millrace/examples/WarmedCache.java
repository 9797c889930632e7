// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.cache.Cache;
import io.millrace.cache.CacheOptions;
import io.millrace.cache.WarmUpStats;
import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.load.source.Column;
import io.millrace.load.source.CsvOptions;
import io.millrace.load.source.CsvSource;
import io.millrace.load.source.Row;
import io.millrace.load.source.RowReader;
import io.millrace.load.source.RowSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * Fills a cache from a file before the first request. The rows come from a {@link RowSource} of the loader, so a
 * database table or a query ({@code JdbcSource}) can replace the file. Reports the outcome of every row.
 */
public final class WarmedCache {

    private static final String COUNTRIES = """
            code,country,capital
            DE,Germany,Berlin
            FR,France,Paris
            NL,Netherlands,Amsterdam
            AQ,Antarctica,
            CH
            NZ,"New Zealand",Wellington
            """;

    private WarmedCache() {}

    public static void main(String[] args) throws IOException {
        String uri = args.length == 0 ? "redis://127.0.0.1:6379" : args[0];
        Path file = Files.createTempFile("countries", ".csv");
        try (RedisClient client = RedisClient.connect(RedisUri.parse(uri))) {
            Files.writeString(file, COUNTRIES);
            show(client, CsvSource.of(file, CsvOptions.defaults()));
        } finally {
            Files.delete(file);
        }
    }

    private static void show(RedisClient client, RowSource source) {
        // snippet: warmed-cache
        try (Cache<String> capitals = Cache.of(client, "example:warmed", Codec.text(), CacheOptions.defaults());
                RowReader reader = source.open()) {
            Entries entries = new Entries(reader, "code", "capital");
            WarmUpStats stats = capitals.warmUp(entries);

            entries.withoutEntry.forEach(System.out::println);
            System.out.println(entries.rows + " rows, " + entries.withoutEntry.size() + " of them without an entry");
            System.out.println(stats);
            System.out.println("NL: " + capitals.get("NL", code -> "from a slow service"));
            // end
            System.out.println("loads: " + capitals.stats().loads());
            entries.keys.forEach(capitals::remove);
        }
    }

    /**
     * Iterates over the rows that have a key and a value. For each other row, stores the reason why the row has no
     * entry.
     */
    private static final class Entries implements Iterator<Map.Entry<String, String>> {

        final List<String> withoutEntry = new ArrayList<>();
        final List<String> keys = new ArrayList<>();
        long rows;

        private final RowReader reader;
        private final int key;
        private final int value;
        private final Row row = new Row(); // reused for all rows
        private Map.@Nullable Entry<String, String> next;

        Entries(RowReader reader, String key, String value) {
            this.reader = reader;
            this.key = reader.columns().indexOf(new Column(key));
            this.value = reader.columns().indexOf(new Column(value));
        }

        @Override
        public boolean hasNext() {
            while (next == null && reader.next(row)) {
                rows++;
                next = entry();
            }
            return next != null;
        }

        // snippet: row-to-entry
        private Map.@Nullable Entry<String, String> entry() {
            String reason = row.isRejected()
                    ? row.rejection().orElseThrow().message()
                    : row.isNull(key) || row.isNull(value) ? "no key, or no value" : "";
            if (!reason.isEmpty()) {
                withoutEntry.add("line " + row.line() + ": " + reason);
                return null;
            }
            return Map.entry(row.text(key), row.text(value));
        }
        // end

        @Override
        public Map.Entry<String, String> next() {
            if (!hasNext() || next == null) {
                throw new NoSuchElementException();
            }
            Map.Entry<String, String> entry = next;
            next = null;
            keys.add(entry.getKey());
            return entry;
        }
    }
}
