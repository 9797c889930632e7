// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.Setting.Unit;
import java.time.Duration;
import java.util.List;

/**
 * Options of {@link Tracking}.
 *
 * @param prefixes prefixes of the tracked keys, at least one. No prefix may begin with another prefix. The empty prefix
 *     means all keys
 * @param pingInterval interval between two {@code PING}s, {@link #PING_INTERVAL}; must be longer than a round trip. If
 *     the connection fails and the operating system does not report the failure, a cache serves outdated values for at
 *     most twice this interval
 * @param buffer maximum number of invalidated keys in the buffer, {@link #BUFFER}. If the buffer cannot hold all keys,
 *     one {@link Invalidation.Everything} replaces the keys. A key longer than 127 characters counts as more than one
 *     key
 */
public record TrackingOptions(List<String> prefixes, Duration pingInterval, int buffer) {

    /**
     * Range: 10 ms to 1 h. Default: 1 s. One {@code PING} per second is a negligible load. With this default, a cached
     * value is out of date for at most about two seconds. A client needs about the same time to reconnect. The default
     * is an estimate, not the result of a measurement.
     */
    public static final Setting<Duration> PING_INTERVAL = new Setting<>(
            "pingInterval",
            Duration.ofMillis(10),
            Duration.ofHours(1),
            Duration.ofSeconds(1),
            Unit.TIME,
            "Interval between two PINGs of the tracking connection, and time limit for each reply.");

    /**
     * Range: 1 to 16,777,216. Default: 16,384. With keys of usual length, a full buffer needs at most about 10 MB. A
     * busy server changes about 16,384 keys in a tenth of a second. The default is an estimate, not the result of a
     * measurement.
     */
    public static final Setting<Integer> BUFFER =
            new Setting<>("buffer", 1, 1 << 24, 16_384, Unit.COUNT, "Maximum number of waiting invalidated keys.");

    public TrackingOptions {
        prefixes = List.copyOf(prefixes);
        PING_INTERVAL.check(pingInterval);
        BUFFER.check(buffer);
        if (prefixes.isEmpty()) {
            throw new IllegalArgumentException("tracking needs a prefix; the empty prefix means all keys");
        }
        for (int i = 0; i < prefixes.size(); i++) {
            for (int j = 0; j < prefixes.size(); j++) {
                if (i != j && prefixes.get(i).startsWith(prefixes.get(j))) {
                    throw new IllegalArgumentException("no prefix may begin with another prefix: \"" + prefixes.get(i)
                            + "\" begins with \"" + prefixes.get(j) + "\"");
                }
            }
        }
    }

    /** Returns options for all keys that begin with one of {@code prefixes}, with the default interval and buffer. */
    public static TrackingOptions prefixes(String... prefixes) {
        return new TrackingOptions(List.of(prefixes), PING_INTERVAL.defaultValue(), BUFFER.defaultValue());
    }

    /** Returns a copy with another interval between {@code PING}s. */
    public TrackingOptions withPingInterval(Duration value) {
        return new TrackingOptions(prefixes, value, buffer);
    }

    /** Returns a copy with another buffer size. */
    public TrackingOptions withBuffer(int keys) {
        return new TrackingOptions(prefixes, pingInterval, keys);
    }
}
