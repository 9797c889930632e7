// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import io.millrace.client.BulkOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.command.SetOptions;
import io.millrace.client.command.Strings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Texts over Millrace's client, without what makes a cache of it: what its cache is compared with. */
record MillraceTexts(RedisClient client) implements TextCache {

    /** Computes nothing: what is not there is an error. */
    @Override
    public String get(String key, Computation computation) {
        return client.call(Strings.get(NAME + ":" + key))
                .orElseThrow(
                        () -> new IllegalStateException("nothing is kept under a key that should have been filled"));
    }

    @Override
    public void put(String key, String text, Duration timeToLive) {
        client.call(Strings.set(NAME + ":" + key, text, SetOptions.ALWAYS.expiringIn(timeToLive)));
    }

    @Override
    public List<@Nullable String> getAll(List<String> keys) {
        var texts = new ArrayList<@Nullable String>(keys.size());
        client.call(Strings.getAll(keys.stream().map(key -> NAME + ":" + key).toArray(String[]::new)))
                .forEach(text -> texts.add(text.orElse(null)));
        return texts;
    }

    @Override
    public long putAll(Iterator<Pair> entries) {
        try (var writer = client.bulkWriter(BulkOptions.DEFAULT, (tag, command, outcome) -> {})) {
            for (long count = 0; entries.hasNext(); count++) {
                var entry = entries.next();
                writer.begin(Strings.SET)
                        .arg(NAME + ":" + entry.key())
                        .arg(entry.value())
                        .arg("PX")
                        .arg(TIME_TO_LIVE.toMillis())
                        .end(count);
            }
            writer.finish();
            return writer.counts().ok();
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
