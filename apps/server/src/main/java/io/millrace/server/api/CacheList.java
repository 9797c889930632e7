// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.api;

import io.millrace.cache.Cache;
import io.millrace.cache.CacheStats;
import io.millrace.server.gate.Problem;
import io.millrace.server.gate.Refusal;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The caches of the application. Thread-safe. */
public final class CacheList {

    private static final System.Logger LOGGER = System.getLogger("io.millrace.server");

    private final Map<String, Cache<?>> caches;
    private final boolean showsValues;
    private final Set<String> beingCleared = ConcurrentHashMap.newKeySet();

    /** Creates a list. {@code showsValues}: whether entries are shown with their values. */
    public CacheList(Map<String, Cache<?>> caches, boolean showsValues) {
        this.caches = new LinkedHashMap<>(caches);
        this.showsValues = showsValues;
    }

    boolean showsValues() {
        return showsValues;
    }

    Set<String> names() {
        return caches.keySet();
    }

    /** Returns the cache {@code name}, or refuses the request. */
    Cache<?> cache(String name) {
        Cache<?> found = caches.get(name);
        if (found == null) {
            throw new Refusal(Problem.NOT_FOUND, "There is no such cache. The caches are " + caches.keySet() + ".");
        }
        return found;
    }

    /** The counters of all caches. */
    public Map<String, CacheStats> stats() {
        Map<String, CacheStats> stats = new LinkedHashMap<>();
        caches.forEach((name, cache) -> stats.put(name, cache.stats()));
        return stats;
    }

    /**
     * Clears a cache on a virtual thread, because the time grows with the number of keys. Until its end, refuses a second
     * clear.
     */
    void clear(String name) {
        Cache<?> cache = cache(name);
        if (!beingCleared.add(name)) {
            throw new Refusal(Problem.CONFLICT, "The cache is being cleared.");
        }
        Thread.ofVirtual().name("millrace-server-clear").start(() -> {
            try {
                cache.clear();
            } catch (RuntimeException failed) {
                LOGGER.log(System.Logger.Level.WARNING, "a cache was not cleared: cache=" + name, failed);
            } finally {
                beingCleared.remove(name);
            }
        });
    }
}
