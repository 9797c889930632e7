// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.Setting.Unit;
import java.util.List;

/**
 * Channels and patterns of a subscription, and its buffer size.
 *
 * @param channels channel names
 * @param patterns channel patterns, such as {@code news.*}
 * @param buffer maximum number of messages that wait for {@link Subscription#poll}, {@link #BUFFER}
 */
public record SubscribeOptions(List<String> channels, List<String> patterns, int buffer) {

    /**
     * Range: 1 to 1,048,576. Default: 4,096, enough for a subscriber that pauses for a garbage collection. The default
     * is an estimate, not the result of a measurement.
     */
    public static final Setting<Integer> BUFFER =
            new Setting<>("buffer", 1, 1 << 20, 4_096, Unit.COUNT, "Maximum number of waiting messages.");

    public SubscribeOptions {
        channels = List.copyOf(channels);
        patterns = List.copyOf(patterns);
        BUFFER.check(buffer);
        if (channels.isEmpty() && patterns.isEmpty()) {
            throw new IllegalArgumentException("a subscription needs a channel or a pattern");
        }
    }

    /** Returns options for channels by name, with the default buffer. */
    public static SubscribeOptions channels(String... channels) {
        return new SubscribeOptions(List.of(channels), List.of(), BUFFER.defaultValue());
    }

    /** Returns options for all channels that match one of {@code patterns}, with the default buffer. */
    public static SubscribeOptions patterns(String... patterns) {
        return new SubscribeOptions(List.of(), List.of(patterns), BUFFER.defaultValue());
    }

    /** Returns a copy with another buffer size. */
    public SubscribeOptions withBuffer(int messages) {
        return new SubscribeOptions(channels, patterns, messages);
    }
}
