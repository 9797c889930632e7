// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.api;

import io.millrace.cache.Cache;
import io.millrace.cache.CacheOptions;
import io.millrace.cache.CacheStats;
import io.millrace.cache.CachedEntry;
import io.millrace.server.gate.Problem;
import io.millrace.server.gate.Refusal;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The caches: settings, counts and entries. */
@RestController
@RequestMapping("/caches")
class CacheController {

    private final CacheList caches;
    private final Answers answers;

    CacheController(CacheList caches, Answers answers) {
        this.caches = caches;
        this.answers = answers;
    }

    /** A cache. */
    record CacheView(String name, Settings settings, CacheStats counts, double hitRate) {}

    /** The settings of a cache, in seconds. */
    record Settings(
            double timeToLive,
            double jitter,
            double negativeTimeToLive,
            double failureTimeToLive,
            double staleFor,
            double refreshAhead,
            double lease,
            double deadline,
            double loadTimeout,
            double redisTimeout,
            int concurrentLoads) {}

    /**
     * An entry.
     *
     * @param age maximum number of seconds since the entry was written: an entry has only the end of its time to live, which a
     *     jitter shortens. Without a jitter, the exact number
     * @param timeLeft seconds until the end of the time to live
     * @param value only with {@code millrace.server.show-values}
     */
    record EntryView(
            String key,
            String state,
            @Nullable Double age,
            @Nullable Double timeLeft,
            int bytes,
            @Nullable Object value) {}

    @GetMapping
    @Forms({Forms.JSON, Forms.TEXT})
    ResponseEntity<byte[]> all(HttpServletRequest request) {
        List<CacheView> views = caches.names().stream()
                .map(name -> view(name, caches.cache(name)))
                .toList();
        return answers.object(request, Map.of("caches", views));
    }

    @GetMapping("/{name}")
    @Forms({Forms.JSON, Forms.TEXT})
    ResponseEntity<byte[]> one(@PathVariable String name, HttpServletRequest request) {
        return answers.object(request, view(name, caches.cache(name)));
    }

    @DeleteMapping("/{name}")
    ResponseEntity<Void> clear(@PathVariable String name) {
        caches.clear(name);
        return ResponseEntity.accepted().build();
    }

    @GetMapping("/{name}/entries/{key}")
    @Forms({Forms.JSON, Forms.TEXT})
    ResponseEntity<byte[]> entry(@PathVariable String name, @PathVariable String key, HttpServletRequest request) {
        return answers.object(request, view(caches.cache(name), Names.check("key", key)));
    }

    @DeleteMapping("/{name}/entries/{key}")
    ResponseEntity<Void> remove(@PathVariable String name, @PathVariable String key) {
        caches.cache(name).remove(Names.check("key", key));
        return ResponseEntity.noContent().build();
    }

    /** The same with the key as a parameter: a path cannot have a key with a slash, a backslash, or only dots. */
    @GetMapping("/{name}/entries")
    @Forms({Forms.JSON, Forms.TEXT})
    ResponseEntity<byte[]> entryOfParameter(
            @PathVariable String name, @RequestParam String key, HttpServletRequest request) {
        return entry(name, key, request);
    }

    @DeleteMapping("/{name}/entries")
    ResponseEntity<Void> removeOfParameter(@PathVariable String name, @RequestParam String key) {
        return remove(name, key);
    }

    private EntryView view(Cache<?> cache, String key) {
        CachedEntry<?> entry = cache.entry(key)
                .orElseThrow(() -> new Refusal(Problem.NOT_FOUND, "The cache has no entry for this key."));
        Optional<Duration> left = entry.timeLeft();
        return new EntryView(
                key,
                entry.state().name().toLowerCase(Locale.ROOT),
                left.map(time -> age(timeToLive(cache.options(), entry.state()), time))
                        .orElse(null),
                left.map(CacheController::seconds).orElse(null),
                entry.bytes(),
                caches.showsValues() ? entry.value().orElse(null) : null);
    }

    private static Duration timeToLive(CacheOptions options, CachedEntry.State state) {
        return switch (state) {
            case NEGATIVE -> options.negativeTimeToLive();
            case FAILED -> options.failureTimeToLive();
            case LOADED, FRESH, STALE -> options.timeToLive();
        };
    }

    /** Never negative: the clocks of two servers differ. */
    private static double age(Duration timeToLive, Duration timeLeft) {
        return Math.max(0, seconds(timeToLive.minus(timeLeft)));
    }

    private static CacheView view(String name, Cache<?> cache) {
        CacheOptions options = cache.options();
        CacheStats stats = cache.stats();
        Settings settings = new Settings(
                seconds(options.timeToLive()),
                options.jitter(),
                seconds(options.negativeTimeToLive()),
                seconds(options.failureTimeToLive()),
                seconds(options.staleFor()),
                options.refreshAhead(),
                seconds(options.lease()),
                seconds(options.deadline()),
                seconds(options.loadTimeout()),
                seconds(options.redisTimeout()),
                options.concurrentLoads());
        return new CacheView(name, settings, stats, stats.hitRate());
    }

    private static double seconds(Duration time) {
        return time.toMillis() / 1_000.0;
    }
}
