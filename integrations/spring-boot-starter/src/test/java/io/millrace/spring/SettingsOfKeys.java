// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.cache.CacheOptions;
import io.millrace.client.ClientOptions;
import io.millrace.client.PoolOptions;
import io.millrace.client.ReplyLimits;
import io.millrace.client.Setting;
import io.millrace.client.SocketOptions;
import io.millrace.client.TrackingOptions;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The keys whose values are settings, and their texts. */
final class SettingsOfKeys {

    static final Map<String, Setting<?>> ALL = all();

    private SettingsOfKeys() {}

    private static Map<String, Setting<?>> all() {
        Map<String, Setting<?>> all = new TreeMap<>();
        String redis = "millrace.redis.";
        all.put(redis + "connect-timeout", ClientOptions.CONNECT_TIMEOUT);
        all.put(redis + "command-timeout", ClientOptions.COMMAND_TIMEOUT);
        all.put(redis + "connections", ClientOptions.CONNECTIONS);
        all.put(redis + "in-flight", ClientOptions.IN_FLIGHT);
        all.put(redis + "in-flight-bytes", ClientOptions.IN_FLIGHT_BYTES);
        all.put(redis + "ping-after-silence", ClientOptions.PING_AFTER_SILENCE);
        all.put(redis + "callbacks", ClientOptions.CALLBACKS);
        all.put(redis + "reconnect-delay", ClientOptions.RECONNECT_DELAY);
        all.put(redis + "max-reconnect-delay", ClientOptions.MAX_RECONNECT_DELAY);
        all.put(redis + "pool.size", PoolOptions.POOL_SIZE);
        all.put(redis + "pool.max-idle", PoolOptions.POOL_MAX_IDLE);
        all.put(redis + "reply-limits.bulk-bytes", ReplyLimits.BULK_BYTES);
        all.put(redis + "reply-limits.elements", ReplyLimits.ELEMENTS);
        all.put(redis + "reply-limits.line-bytes", ReplyLimits.LINE_BYTES);
        all.put(redis + "reply-limits.depth", ReplyLimits.DEPTH);
        all.put(redis + "socket.keep-alive-idle", SocketOptions.KEEP_ALIVE_IDLE);
        all.put(redis + "socket.keep-alive-interval", SocketOptions.KEEP_ALIVE_INTERVAL);
        all.put(redis + "socket.keep-alive-count", SocketOptions.KEEP_ALIVE_COUNT);
        all.put(redis + "socket.send-buffer-bytes", SocketOptions.SEND_BUFFER_BYTES);
        all.put(redis + "socket.receive-buffer-bytes", SocketOptions.RECEIVE_BUFFER_BYTES);
        String cache = "millrace.cache.defaults.";
        all.put(cache + "time-to-live", CacheOptions.TIME_TO_LIVE);
        all.put(cache + "jitter", CacheOptions.JITTER);
        all.put(cache + "negative-time-to-live", CacheOptions.NEGATIVE_TIME_TO_LIVE);
        all.put(cache + "failure-time-to-live", CacheOptions.FAILURE_TIME_TO_LIVE);
        all.put(cache + "stale-for", CacheOptions.STALE_FOR);
        all.put(cache + "refresh-ahead", CacheOptions.REFRESH_AHEAD);
        all.put(cache + "lease", CacheOptions.LEASE);
        all.put(cache + "deadline", CacheOptions.DEADLINE);
        all.put(cache + "load-timeout", CacheOptions.LOAD_TIMEOUT);
        all.put(cache + "redis-timeout", CacheOptions.REDIS_TIMEOUT);
        all.put(cache + "concurrent-loads", CacheOptions.CONCURRENT_LOADS);
        all.put(cache + "near.ping-interval", TrackingOptions.PING_INTERVAL);
        all.put(cache + "near.buffer", TrackingOptions.BUFFER);
        return all;
    }

    /** A value in the form of a property: {@code 500ms}, {@code 8MB}, {@code 16}. */
    static String text(Setting<?> setting, Object value) {
        return switch (setting.unit()) {
            case TIME, TIME_OR_ZERO -> text((Duration) value);
            case BYTES -> bytes(((Number) value).longValue());
            case COUNT, NUMBER, FRACTION -> value.toString().replaceFirst("\\.0$", "");
        };
    }

    private static String text(Duration time) {
        if (time.toMillisPart() != 0) {
            return time.toMillis() + "ms";
        }
        long seconds = time.toSeconds();
        return seconds > 0 && seconds % 3600 == 0
                ? seconds / 3600 + "h"
                : seconds > 0 && seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s";
    }

    private static String bytes(long count) {
        for (String unit : new String[] {"GB", "MB", "KB"}) {
            long size = 1L << (10 * (3 - "GMK".indexOf(unit.charAt(0))));
            if (count > 0 && count % size == 0) {
                return String.format(Locale.ROOT, "%d%s", count / size, unit);
            }
        }
        return count + "B";
    }
}
