// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.Result;
import io.millrace.client.command.Command;
import io.millrace.client.command.KeyExpiry;
import io.millrace.client.command.Keys;
import io.millrace.client.command.ScanOptions;
import io.millrace.client.command.ScanPage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * All keys of an activity, except its header. Finds the keys with SCAN over the whole database.
 *
 * @param header the key of the header. All other keys begin with this key and a colon
 */
record StoredKeys(RedisClient client, String header, Granularity granularity, Encoding encoding) {

    private static final String RECENT = ":recent";

    /** Maximum number of keys whose memory one pipeline measures. */
    private static final int KEYS_PER_RUN = 10_000;

    /** Returns the server memory of {@code keys} in bytes. A key that does not exist takes no memory. */
    static long memoryBytes(RedisClient client, List<String> keys) {
        long sum = 0;
        for (int from = 0; from < keys.size(); from += KEYS_PER_RUN) {
            Pipeline pipeline = client.pipeline();
            List<Result<Optional<Long>>> sizes = keys.subList(from, Math.min(from + KEYS_PER_RUN, keys.size())).stream()
                    .map(key -> pipeline.add(Keys.memoryUsage(key)))
                    .toList();
            pipeline.run();
            sum += sizes.stream().mapToLong(size -> size.value().orElse(0L)).sum();
        }
        return sum;
    }

    void delete() {
        forEachPage(this::unlink);
    }

    /**
     * Sets the expiry of all keys, or removes the expiry of all keys. The keys are scanned twice: a key that another client
     * adds during the first scan may have the former expiry, because such a key takes over the expiry of a key that was not
     * changed yet.
     */
    void expire(SpanExpiry expiry) {
        forEachPage(page -> expire(page, expiry));
        forEachPage(page -> expire(page, expiry));
    }

    private void forEachPage(Consumer<List<String>> action) {
        ScanOptions scanOptions =
                ScanOptions.DEFAULT.withMatch(escaped(header + ":") + "*").withCount(1_000);
        String cursor = ScanPage.START;
        boolean last = false;
        while (!last) {
            ScanPage<List<String>> page = client.call(Keys.scan(cursor, scanOptions));
            action.accept(page.found());
            cursor = page.cursor();
            last = page.last();
        }
    }

    private void unlink(List<String> keys) {
        if (!keys.isEmpty()) {
            client.call(Keys.unlink(keys.toArray(String[]::new)));
        }
    }

    private void expire(List<String> keys, SpanExpiry expiry) {
        Pipeline pipeline = client.pipeline();
        List<Result<Boolean>> results = new ArrayList<>();
        for (String key : keys) {
            // Without a span, the key is the temporary result of a query, which has its own expiry.
            spanOf(key)
                    .ifPresent(span -> results.add(pipeline.add(
                            expiry.isNever()
                                    ? Keys.persist(key)
                                    : Command.of(KeyExpiry.PEXPIREAT, key, expiry.millis(span)))));
        }
        pipeline.run();
        results.forEach(Result::value);
    }

    /** Returns the span whose marks {@code key} contains. See {@link BitmapKeys} and {@link CompressedSets}. */
    private Optional<Span> spanOf(String key) {
        String ofSpan = switch (encoding) {
            case BITMAP, SET -> key;
            case CHUNKED -> key.substring(0, key.lastIndexOf(':'));
            case COMPRESSED -> key.endsWith(RECENT) ? key.substring(0, key.length() - RECENT.length()) : key;
        };
        return Span.parse(granularity, ofSpan.substring(ofSpan.lastIndexOf(':') + 1));
    }

    /** Returns {@code text} as a glob pattern that matches only this text. Special characters are escaped. */
    private static String escaped(String text) {
        return text.replaceAll("[\\\\*?\\[\\]^-]", "\\\\$0");
    }
}
