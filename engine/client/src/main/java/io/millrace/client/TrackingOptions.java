// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.Setting.Unit;
import java.time.Duration;
import java.util.List;

/**
 * Options of {@link Tracking}.
 *
 * @param prefixes key prefixes to track, at least one; no prefix may begin with another. The empty prefix means all
 *     keys
 * @param pingInterval interval between two {@code PING}s, {@link #PING_INTERVAL}; must be longer than a round trip. If
 *     the connection dies unnoticed, outdated cached values are served for at most twice this interval
 * @param buffer maximum number of waiting invalidated keys, {@link #BUFFER}. If more keys wait, one
 *     {@link Invalidation.Everything} replaces the keys. A key longer than 127 characters counts as more than one key
 */
public record TrackingOptions(List<String> prefixes, Duration pingInterval, int buffer) {

    /**
     * Range: 10 ms to 1 h. Default: 1 s. One {@code PING} per second costs nothing. Cached values are then out of date
     * for at most about two seconds, and a client also needs about two seconds to reconnect. The default is our choice,
     * not measured.
     */
    public static final Setting<Duration> PING_INTERVAL = new Setting<>(
            "pingInterval",
            Duration.ofMillis(10),
            Duration.ofHours(1),
            Duration.ofSeconds(1),
            Unit.TIME,
            "Interval between two PINGs of the tracking connection, and time limit for each reply.");

    /**
     * Range: 1 to 16,777,216. Default: 16,384. A full buffer needs at most about 10 MB with keys of usual length. A
     * busy server changes about this number of keys in a tenth of a second. The default is our choice, not measured.
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
                    throw new IllegalArgumentException("no prefix may begin with another: \"" + prefixes.get(i)
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
