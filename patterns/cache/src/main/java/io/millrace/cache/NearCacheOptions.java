// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.Setting;
import io.millrace.client.TrackingOptions;
import java.time.Duration;
import java.util.Objects;

/**
 * Settings of the near cache, which keeps entries in this process. Requires Caffeine on the class path and a server
 * that supports client tracking ({@link io.millrace.client.RedisClient#track}).
 *
 * @param limit whether {@code maximum} is a number of entries or a number of bytes
 * @param maximum maximum size, at least 1; the least used entries are evicted first
 * @param pingInterval interval between two PINGs of the tracking connection, {@link TrackingOptions#PING_INTERVAL}. If
 *     the connection dies unnoticed, entries are served for at most twice this time
 * @param buffer maximum number of changed keys whose invalidations were received but not yet applied, {@link
 *     TrackingOptions#BUFFER}. Above this number the near cache drops all entries
 */
public record NearCacheOptions(Limit limit, long maximum, Duration pingInterval, int buffer) {

    /** Unit of the size limit. */
    public enum Limit {
        /** The near cache is off. */
        DISABLED,
        /** Number of entries of any size. */
        ENTRIES,
        /**
         * Bytes of the keys, of the values as encoded in Redis, and 200 bytes for each entry. A value whose object is
         * larger than its encoding takes more memory than this limit counts.
         */
        BYTES
    }

    /** No near cache. */
    public static final NearCacheOptions NONE = new NearCacheOptions(
            Limit.DISABLED, 1, TrackingOptions.PING_INTERVAL.defaultValue(), TrackingOptions.BUFFER.defaultValue());

    public NearCacheOptions {
        Objects.requireNonNull(limit, "limit");
        Setting.checkArgument("maximum", maximum, 1L, Long.MAX_VALUE);
        TrackingOptions.PING_INTERVAL.check(pingInterval);
        TrackingOptions.BUFFER.check(buffer);
    }

    /** Limits the number of entries. Other settings have the defaults of {@link TrackingOptions}. */
    public static NearCacheOptions entries(long most) {
        return new NearCacheOptions(Limit.ENTRIES, most, NONE.pingInterval, NONE.buffer);
    }

    /** Limits the number of bytes. Other settings have the defaults of {@link TrackingOptions}. */
    public static NearCacheOptions bytes(long most) {
        return new NearCacheOptions(Limit.BYTES, most, NONE.pingInterval, NONE.buffer);
    }

    /** Returns these settings with another ping interval. */
    public NearCacheOptions withPingInterval(Duration value) {
        return new NearCacheOptions(limit, maximum, value, buffer);
    }

    /** Returns these settings with another maximum number of waiting invalidations. */
    public NearCacheOptions withBuffer(int keys) {
        return new NearCacheOptions(limit, maximum, pingInterval, keys);
    }
}
