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
 * @param pingInterval {@link #PING_INTERVAL}; must be longer than a round trip. After a connection died unnoticed,
 *     cached values are served for at most twice this time
 * @param buffer {@link #BUFFER}; beyond it the keys become {@link Invalidation.Everything}. A key longer than 127
 *     characters counts as more than one
 */
public record TrackingOptions(List<String> prefixes, Duration pingInterval, int buffer) {

    /**
     * Range: 10 ms to 1 h. Default: 1 s. One {@code PING} per second costs nothing, and a client also needs about two
     * seconds to reconnect. Our choice, not measured.
     */
    public static final Setting<Duration> PING_INTERVAL = new Setting<>(
            "pingInterval",
            Duration.ofMillis(10),
            Duration.ofHours(1),
            Duration.ofSeconds(1),
            Unit.TIME,
            "Interval between two PINGs of the tracking connection, and time limit for each reply.");

    /**
     * Range: 1 to 16,777,216. Default: 16,384, at most about 10 MB with keys of usual length, and the changes of a busy
     * server in a tenth of a second. Our choice, not measured.
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
