// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.time.Duration;
import java.util.List;

/**
 * What to track.
 *
 * @param prefixes the beginnings of the keys that matter, at least one; none may begin with another. The empty one means all
 *     keys
 * @param quiet between one {@code PING} and the next, and for its answer, 10 ms to 1 h; longer than a round trip takes. Copies
 *     are served for twice as long at most after the connection has died unnoticed
 * @param buffer how many invalidated keys may wait before they count as everything, 1 to 16,777,216; a key longer than 127
 *     characters counts for more
 */
public record TrackingOptions(List<String> prefixes, Duration quiet, int buffer) {

    /** One {@code PING} a second costs nothing, and two seconds is how long a client takes to come back; ours. */
    public static final Duration DEFAULT_QUIET = Duration.ofSeconds(1);

    /** Some 10 MB at most with keys of usual length; what a busy server changes in a tenth of a second. Ours, not measured. */
    public static final int DEFAULT_BUFFER = 16_384;

    public TrackingOptions {
        prefixes = List.copyOf(prefixes);
        Ranges.check("quiet", quiet, Duration.ofMillis(10), Duration.ofHours(1));
        Ranges.check("buffer", buffer, 1, 1 << 24);
        if (prefixes.isEmpty()) {
            throw new IllegalArgumentException("tracking needs a prefix; the empty one means all keys");
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

    /** All keys that begin with one of {@code prefixes}, with the defaults. */
    public static TrackingOptions prefixes(String... prefixes) {
        return new TrackingOptions(List.of(prefixes), DEFAULT_QUIET, DEFAULT_BUFFER);
    }

    /** The same with another time between {@code PING}s. */
    public TrackingOptions withQuiet(Duration value) {
        return new TrackingOptions(prefixes, value, buffer);
    }

    /** The same with another buffer. */
    public TrackingOptions withBuffer(int keys) {
        return new TrackingOptions(prefixes, quiet, keys);
    }
}
