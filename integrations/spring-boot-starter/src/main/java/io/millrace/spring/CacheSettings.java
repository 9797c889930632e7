// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.cache.CacheOptions;
import io.millrace.cache.NearCacheOptions;
import io.millrace.client.Setting;
import io.millrace.client.TrackingOptions;
import io.millrace.spring.CacheProperties.CacheKeySet;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The checked settings of one cache. */
record CacheSettings(CacheOptions options, NearCacheOptions near, boolean transactionAware) {

    /**
     * Returns the settings of a cache.
     *
     * @param prefix prefix of its keys, for messages
     * @throws KeyException if a key is out of range, or if keys contradict each other
     */
    static CacheSettings of(CacheKeySet keys, String prefix) {
        SettingKeys settings = new SettingKeys(prefix);
        return new CacheSettings(
                options(keys, settings), near(keys.near(), prefix), Boolean.TRUE.equals(keys.transactionAware()));
    }

    private static CacheOptions options(CacheKeySet keys, SettingKeys settings) {
        CacheOptions.Builder options = CacheOptions.builder();
        settings.set("time-to-live", keys.timeToLive(), CacheOptions.TIME_TO_LIVE, options::timeToLive);
        settings.set("jitter", keys.jitter(), CacheOptions.JITTER, options::jitter);
        settings.set(
                "negative-time-to-live",
                keys.negativeTimeToLive(),
                CacheOptions.NEGATIVE_TIME_TO_LIVE,
                options::negativeTimeToLive);
        settings.set(
                "failure-time-to-live",
                keys.failureTimeToLive(),
                CacheOptions.FAILURE_TIME_TO_LIVE,
                options::failureTimeToLive);
        settings.set("stale-for", keys.staleFor(), CacheOptions.STALE_FOR, options::staleFor);
        settings.set("refresh-ahead", keys.refreshAhead(), CacheOptions.REFRESH_AHEAD, options::refreshAhead);
        settings.set("lease", keys.lease(), CacheOptions.LEASE, options::lease);
        settings.set("deadline", keys.deadline(), CacheOptions.DEADLINE, options::deadline);
        settings.set("load-timeout", keys.loadTimeout(), CacheOptions.LOAD_TIMEOUT, options::loadTimeout);
        settings.set("redis-timeout", keys.redisTimeout(), CacheOptions.REDIS_TIMEOUT, options::redisTimeout);
        settings.set(
                "concurrent-loads", keys.concurrentLoads(), CacheOptions.CONCURRENT_LOADS, options::concurrentLoads);
        return settings.build(options::build);
    }

    private static NearCacheOptions near(CacheProperties.Near keys, String prefix) {
        Long entries = keys.entries();
        Long bytes = keys.bytes() == null ? null : keys.bytes().toBytes();
        if (entries != null && bytes != null) {
            throw new KeyException(
                    prefix + ".near.entries and " + prefix + ".near.bytes are both set", "Remove one of the keys.");
        }
        NearCacheOptions near = entries != null
                ? NearCacheOptions.entries(positive(entries, prefix + ".near.entries"))
                : bytes != null
                        ? NearCacheOptions.bytes(positive(bytes, prefix + ".near.bytes"))
                        : NearCacheOptions.NONE;
        SettingKeys settings = new SettingKeys(prefix + ".near");
        @Nullable Duration interval = keys.pingInterval();
        @Nullable Integer buffer = keys.buffer();
        return near.withPingInterval(settings.valueOf("ping-interval", interval, TrackingOptions.PING_INTERVAL))
                .withBuffer(settings.valueOf("buffer", buffer, TrackingOptions.BUFFER));
    }

    private static long positive(long value, String key) {
        try {
            return Setting.checkArgument(key, value, 1, Long.MAX_VALUE);
        } catch (IllegalArgumentException outOfRange) {
            throw new KeyException(
                    String.valueOf(outOfRange.getMessage()), "Choose a value in this range.", outOfRange);
        }
    }
}
