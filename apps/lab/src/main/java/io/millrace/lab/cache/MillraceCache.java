// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import io.millrace.cache.Cache;
import io.millrace.cache.CacheOptions;
import io.millrace.cache.NearCacheOptions;
import io.millrace.client.ClientOptions;
import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.SetOptions;
import io.millrace.client.command.Strings;
import io.millrace.lab.cache.CacheLibrary.Promise;
import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.Contender.Description;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Millrace's cache, and Millrace's client without a cache. */
final class MillraceCache {

    private static final Duration LEASE = Duration.ofSeconds(30);

    /** The Redis timeout of the cache must be shorter than the deadline of its callers. */
    private static final Duration LONGEST_REDIS_TIMEOUT = Duration.ofSeconds(5);

    private static final String DOCUMENTATION = "https://github.com/millrace/millrace/blob/main/docs/";

    static final CacheLibrary CACHE = library(
            "cache", Promise.ONE_PER_PROCESS, "computes once in each process", Duration.ZERO, NearCacheOptions.NONE);

    static final CacheLibrary WITH_LEASE = library(
            "cache-lease",
            Promise.ONE_IN_ALL,
            "a lease of " + LEASE.toSeconds() + " s, which computes once in all processes",
            LEASE,
            NearCacheOptions.NONE);

    static final CacheLibrary NEAR = library(
                    "near-cache",
                    Promise.ONE_PER_PROCESS,
                    "a near cache of " + CacheAdapter.NEAR_ENTRIES + " entries",
                    Duration.ZERO,
                    NearCacheOptions.entries(CacheAdapter.NEAR_ENTRIES))
            .asNear();

    static final CacheLibrary BARE = new CacheLibrary(
            new Description(
                    "millrace",
                    "bare",
                    "RedisClient.call() with GET; MGET for many",
                    DOCUMENTATION + "client.md",
                    Optional.of("no cache: a lower bound for the caches in the same table"),
                    true),
            Promise.NONE,
            false,
            (target, life) -> openBare(connect(target), life));

    private static CacheLibrary library(
            String mode, Promise promise, String note, Duration lease, NearCacheOptions near) {
        return new CacheLibrary(
                "millrace",
                mode,
                promise,
                "Cache.get(), " + note
                        + "; Codec.text(), no jitter, otherwise default options; a caller gets a computed"
                        + " text before Redis has stored the text; getAll() for many",
                DOCUMENTATION + "cache.md",
                (target, life) -> open(target, life, lease, near));
    }

    private static CacheAdapter open(Target target, Duration life, Duration lease, NearCacheOptions near) {
        RedisClient client = connect(target);
        try {
            Duration timeout = target.timeout();
            CacheOptions options = CacheOptions.builder()
                    .timeToLive(life)
                    .jitter(0)
                    .lease(lease)
                    .redisTimeout(timeout.compareTo(LONGEST_REDIS_TIMEOUT) < 0 ? timeout : LONGEST_REDIS_TIMEOUT)
                    .build();
            var builder = Cache.builder(client, CacheAdapter.NAME, Codec.text());
            Cache<String> cache = builder.options(options).near(near).build();
            return new CacheAdapter(
                    (key, loader) -> cache.get(key, loader::load),
                    cache::put,
                    keys -> new ArrayList<>(cache.getAll(keys, key -> {
                                throw new IllegalStateException("the cache has lost a text: key=" + key + ".");
                            })
                            .values()),
                    () -> {
                        try (client) {
                            cache.close();
                        }
                    });
        } catch (RuntimeException e) {
            client.close();
            throw e;
        }
    }

    /** The commands that a cache cannot avoid. */
    private static CacheAdapter openBare(RedisClient client, Duration timeToLive) {
        CacheAdapter.Writer writer = (key, text, life) ->
                client.call(Strings.set(CacheAdapter.redisKey(key), text, SetOptions.ALWAYS.expiringIn(life)));
        return new CacheAdapter(
                (key, loader) -> {
                    Optional<String> found = client.call(Strings.get(CacheAdapter.redisKey(key)));
                    if (found.isPresent()) {
                        return found.get();
                    }
                    String text = loader.load(key);
                    writer.put(key, text, timeToLive);
                    return text;
                },
                writer,
                keys -> client.call(Strings.getAll(CacheAdapter.redisKeys(keys))).stream()
                        .<@Nullable String>map(found -> found.orElse(null))
                        .toList(),
                client);
    }

    private static RedisClient connect(Target target) {
        RedisUri uri = RedisUri.of(target.host(), target.port()).withDatabase(target.database());
        RedisUri login = target.password()
                .map(password -> target.username()
                        .map(user -> uri.withLogin(user, password))
                        .orElseGet(() -> uri.withPassword(password)))
                .orElse(uri);
        // A contender may start while the machine is busy.
        return RedisClient.connect(ClientOptions.builder(login)
                .connectTimeout(Duration.ofSeconds(30))
                .build());
    }
}
