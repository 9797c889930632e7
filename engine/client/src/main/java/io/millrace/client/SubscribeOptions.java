// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.Setting.Unit;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

/**
 * The first topics of a subscription, and the limits of its buffer.
 *
 * @param topics at least one. {@link Subscription#subscribe} adds topics later
 * @param buffer maximum number of messages that wait for {@link Subscription#poll}, {@link #BUFFER}
 * @param bufferBytes maximum number of bytes of these messages, {@link #BUFFER_BYTES}. The names of channels and
 *     patterns, and the payloads count. The newest message is kept even if the message alone exceeds the limit; {@link
 *     ClientOptions#replyLimits} limits the size of one message
 */
public record SubscribeOptions(Set<Topic> topics, int buffer, long bufferBytes) {

    /**
     * Range: 1 to 1,048,576. Default: 4,096, enough for a subscriber that pauses for a garbage collection. The default
     * is an estimate, not the result of a measurement.
     */
    public static final Setting<Integer> BUFFER =
            new Setting<>("buffer", 1, 1 << 20, 4_096, Unit.COUNT, "Maximum number of waiting messages.");

    /**
     * Range: 64 KB to just under 1 TB. Default: 32 MB. By default, Redis also buffers at most 32 MB for one subscriber
     * ({@code client-output-buffer-limit pubsub}).
     */
    public static final Setting<Long> BUFFER_BYTES = new Setting<>(
            "bufferBytes",
            1L << 16,
            (1L << 40) - 1,
            32L << 20,
            Unit.BYTES,
            "Maximum number of bytes of the waiting messages.");

    public SubscribeOptions {
        topics.forEach(topic -> Objects.requireNonNull(topic, "topic"));
        topics = Collections.unmodifiableSet(new LinkedHashSet<>(topics));
        BUFFER.check(buffer);
        BUFFER_BYTES.check(bufferBytes);
        if (topics.isEmpty()) {
            throw new IllegalArgumentException(
                    "topics must not be empty. Give a channel, a pattern or a shard channel");
        }
    }

    /** Returns options for {@code topics}, with the default limits. */
    public static SubscribeOptions of(Topic... topics) {
        return new SubscribeOptions(
                new LinkedHashSet<>(Arrays.asList(topics)), BUFFER.defaultValue(), BUFFER_BYTES.defaultValue());
    }

    /** Returns options for channels by name, with the default limits. */
    public static SubscribeOptions channels(String... channels) {
        return of(channels, Topic::channel);
    }

    /** Returns options for all channels that match one of {@code patterns}, with the default limits. */
    public static SubscribeOptions patterns(String... patterns) {
        return of(patterns, Topic::pattern);
    }

    /** Returns options for shard channels by name, with the default limits. Shard channels need Redis 7.0. */
    public static SubscribeOptions shardChannels(String... channels) {
        return of(channels, Topic::shardChannel);
    }

    private static SubscribeOptions of(String[] names, Function<String, Topic> topic) {
        return of(Arrays.stream(names).map(topic).toArray(Topic[]::new));
    }

    /** Returns a copy with another maximum number of messages. */
    public SubscribeOptions withBuffer(int messages) {
        return new SubscribeOptions(topics, messages, bufferBytes);
    }

    /** Returns a copy with another maximum number of bytes. */
    public SubscribeOptions withBufferBytes(long bytes) {
        return new SubscribeOptions(topics, buffer, bytes);
    }
}
