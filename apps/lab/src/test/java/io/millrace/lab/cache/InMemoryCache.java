// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import io.millrace.lab.cache.CacheLibrary.Promise;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Keeps texts in this process, and computes a missing text for each caller. */
record InMemoryCache(Map<String, String> texts) implements CacheLoop {

    InMemoryCache() {
        this(new ConcurrentHashMap<>());
    }

    CacheLibrary library() {
        return new CacheLibrary("memory", "cache", Promise.NONE, "a map", "https://", (target, life) -> this);
    }

    @Override
    public @Nullable String find(String key) {
        return texts.get(key);
    }

    @Override
    public void store(String key, String text) {
        texts.put(key, text);
    }

    @Override
    public void put(String key, String text, Duration timeToLive) {
        store(key, text);
    }

    @Override
    public List<@Nullable String> getAll(List<String> keys) {
        return keys.stream().<@Nullable String>map(texts::get).toList();
    }

    @Override
    public void close() {}
}
