// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import io.millrace.client.BulkOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.command.SetOptions;
import io.millrace.client.command.Strings;
import io.millrace.lab.cache.CacheLibrary.Promise;
import io.millrace.lab.experiment.Contender.Description;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Millrace's client without a cache: the commands that a cache cannot avoid. */
record MillraceBare(RedisClient client, Duration timeToLive) implements CacheLoop {

    static final CacheLibrary BARE = new CacheLibrary(
            new Description(
                    "millrace",
                    "bare",
                    "RedisClient.call() with GET; for a warm-up a bulk writer with SET PX, fused by default",
                    "https://github.com/millrace/millrace/blob/main/docs/client.md",
                    Optional.of("no cache: a lower bound for the caches in the same table")),
            Promise.NONE,
            false,
            (target, life) -> new MillraceBare(MillraceCache.connect(target), life));

    @Override
    public @Nullable String find(String key) {
        return client.call(Strings.get(CacheAdapter.redisKey(key))).orElse(null);
    }

    @Override
    public void put(String key, String text, Duration life) {
        client.call(Strings.set(CacheAdapter.redisKey(key), text, SetOptions.ALWAYS.expiringIn(life)));
    }

    @Override
    public List<@Nullable String> getAll(List<String> keys) {
        return client.call(Strings.getAll(CacheAdapter.redisKeys(keys))).stream()
                .<@Nullable String>map(text -> text.orElse(null))
                .toList();
    }

    @Override
    public long putAll(Iterator<Map.Entry<String, String>> entries) {
        try (var writer = client.bulkWriter(BulkOptions.DEFAULT, (tag, command, outcome) -> {})) {
            for (long count = 0; entries.hasNext(); count++) {
                Map.Entry<String, String> entry = entries.next();
                writer.begin(Strings.SET)
                        .arg(CacheAdapter.redisKey(entry.getKey()))
                        .arg(entry.getValue())
                        .arg("PX")
                        .arg(timeToLive.toMillis())
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
