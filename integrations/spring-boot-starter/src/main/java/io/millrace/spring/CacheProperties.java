// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The keys {@code millrace.cache.*}.
 *
 * @param enabled Whether Millrace is the cache manager of the application.
 * @param defaults Keys of all caches.
 * @param caches Keys of single caches, by name. They override the defaults.
 */
record CacheProperties(
        @DefaultValue("false") boolean enabled,
        @DefaultValue CacheKeySet defaults,
        @DefaultValue Map<String, CacheKeySet> caches) {

    /** Prefix of these keys. */
    static final String PREFIX = "millrace.cache";

    /**
     * The keys of one cache, or of all caches. A key that is absent has the default of {@link
     * io.millrace.cache.CacheOptions}.
     *
     * @param timeToLive Time to live of a value.
     * @param jitter Maximum fraction of the time to live that is subtracted at random, such as 0.1.
     * @param negativeTimeToLive Time to live of a null. Zero: a null is not cached.
     * @param failureTimeToLive Time after a failure during which the method is not called again. Zero for no time.
     * @param staleFor Time after expiry during which a stale value is served while a caller replaces it.
     * @param refreshAhead Last fraction of the time to live in which a lookup starts a load, such as 0.2.
     * @param lease Time without renewal after which another process may load the key. Zero: each process loads.
     * @param deadline Maximum time that a caller waits for the load of another caller.
     * @param loadTimeout Maximum time of a load for the callers that wait for it.
     * @param redisTimeout Maximum time that a caller waits for a reply of Redis.
     * @param concurrentLoads Maximum number of concurrent loads.
     * @param near Entries in the memory of this process.
     * @param type Type of the values, such as java.util.List<com.example.Price>. Default: from the cached methods.
     * @param version Version of the form of the values. Entries of another version are loaded again.
     * @param transactionAware Whether puts and evictions wait for the commit of the current transaction.
     */
    record CacheKeySet(
            @Nullable Duration timeToLive,
            @Nullable Double jitter,
            @Nullable Duration negativeTimeToLive,
            @Nullable Duration failureTimeToLive,
            @Nullable Duration staleFor,
            @Nullable Double refreshAhead,
            @Nullable Duration lease,
            @Nullable Duration deadline,
            @Nullable Duration loadTimeout,
            @Nullable Duration redisTimeout,
            @Nullable Integer concurrentLoads,
            @DefaultValue Near near,
            @Nullable String type,
            @Nullable Integer version,
            @Nullable Boolean transactionAware) {

        /** Returns these keys. A key that is absent here is taken from {@code defaults}. */
        CacheKeySet orElse(CacheKeySet defaults) {
            return new CacheKeySet(
                    first(timeToLive, defaults.timeToLive),
                    first(jitter, defaults.jitter),
                    first(negativeTimeToLive, defaults.negativeTimeToLive),
                    first(failureTimeToLive, defaults.failureTimeToLive),
                    first(staleFor, defaults.staleFor),
                    first(refreshAhead, defaults.refreshAhead),
                    first(lease, defaults.lease),
                    first(deadline, defaults.deadline),
                    first(loadTimeout, defaults.loadTimeout),
                    first(redisTimeout, defaults.redisTimeout),
                    first(concurrentLoads, defaults.concurrentLoads),
                    near.orElse(defaults.near),
                    type,
                    first(version, defaults.version),
                    first(transactionAware, defaults.transactionAware));
        }
    }

    /**
     * Entries in the memory of this process. Without entries and bytes, there is no near cache.
     *
     * @param entries Maximum number of entries.
     * @param bytes Maximum size of the entries.
     * @param pingInterval Interval between two PINGs of the connection that reports changed keys.
     * @param buffer Maximum number of changed keys that wait to be applied.
     */
    record Near(
            @Nullable Long entries,
            @Nullable DataSize bytes,
            @Nullable Duration pingInterval,
            @Nullable Integer buffer) {

        private Near orElse(Near defaults) {
            boolean hasLimit = entries != null || bytes != null;
            return new Near(
                    hasLimit ? entries : defaults.entries,
                    hasLimit ? bytes : defaults.bytes,
                    first(pingInterval, defaults.pingInterval),
                    first(buffer, defaults.buffer));
        }
    }

    /** The keys of the cache {@code name}. */
    CacheKeySet of(String name) {
        CacheKeySet own = caches.get(name);
        return own == null ? defaults : own.orElse(defaults);
    }

    /** Prefix of the keys of one cache, for messages. */
    static String prefix(String name) {
        return PREFIX + ".caches." + name;
    }

    private static <T> @Nullable T first(@Nullable T own, @Nullable T other) {
        return own == null ? other : own;
    }
}
