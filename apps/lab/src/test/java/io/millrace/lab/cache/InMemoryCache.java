// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Keeps texts in this process, and computes a missing text for each caller. */
final class InMemoryCache implements CacheLoop {

    final Map<String, String> texts = new ConcurrentHashMap<>();

    /** Whether texts expire at once. */
    boolean isForgetful;

    @Override
    public @Nullable String find(String key) {
        return texts.get(key);
    }

    @Override
    public Duration timeToLive() {
        return LONG_LIFE;
    }

    @Override
    public void put(String key, String text, Duration timeToLive) {
        if (!isForgetful) {
            texts.put(key, text);
        }
    }

    @Override
    public List<@Nullable String> getAll(List<String> keys) {
        return keys.stream().<@Nullable String>map(texts::get).toList();
    }

    @Override
    public long putAll(Iterator<Map.Entry<String, String>> entries) {
        entries.forEachRemaining(entry -> texts.put(entry.getKey(), entry.getValue()));
        return texts.size();
    }

    @Override
    public void close() {}
}
