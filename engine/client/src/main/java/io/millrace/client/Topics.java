// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.List;

/**
 * What to subscribe to.
 *
 * @param channels by name
 * @param patterns such as {@code news.*}
 * @param buffer how many messages may wait, 1 to 1,048,576
 */
public record Topics(List<String> channels, List<String> patterns, int buffer) {

    /** Enough for a subscriber that pauses for as long as a collection takes; ours, not measured. */
    public static final int DEFAULT_BUFFER = 4_096;

    public Topics {
        channels = List.copyOf(channels);
        patterns = List.copyOf(patterns);
        Ranges.check("buffer", buffer, 1, 1 << 20);
        if (channels.isEmpty() && patterns.isEmpty()) {
            throw new IllegalArgumentException("a subscription needs a channel or a pattern");
        }
    }

    /** Channels by name, with the default buffer. */
    public static Topics channels(String... channels) {
        return new Topics(List.of(channels), List.of(), DEFAULT_BUFFER);
    }

    /** Every channel that matches one of {@code patterns}, with the default buffer. */
    public static Topics patterns(String... patterns) {
        return new Topics(List.of(), List.of(patterns), DEFAULT_BUFFER);
    }

    /** The same with another buffer. */
    public Topics withBuffer(int messages) {
        return new Topics(channels, patterns, messages);
    }
}
