// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import io.millrace.client.RedisClient;
import java.util.List;
import java.util.Map;

/**
 * Commands on channels. There is no {@code SUBSCRIBE} here, because it changes the mode of its connection. Use
 * {@link RedisClient#subscribe} instead.
 */
public final class PubSub {

    /** {@code PUBLISH channel message}: returns the number of clients of this server that received the message. */
    public static final CommandSpec<Long> PUBLISH = CommandSpec.of("PUBLISH", Decoders.INTEGER);

    /**
     * {@code SPUBLISH shardchannel message}: returns the number of clients of this server that received the message.
     * Needs Redis 7.0.
     */
    public static final CommandSpec<Long> SPUBLISH = CommandSpec.of("SPUBLISH", Decoders.INTEGER);

    /** {@code PUBSUB CHANNELS [pattern]}: returns the channels with subscribers. */
    public static final CommandSpec<List<String>> PUBSUB_CHANNELS =
            CommandSpec.of("PUBSUB CHANNELS", Replies.list(Decoders.TEXT)).idempotently();

    /** {@code PUBSUB NUMSUB channel …}: returns the number of subscribers of each channel. */
    public static final CommandSpec<Map<String, Long>> PUBSUB_NUMSUB = CommandSpec.of(
                    "PUBSUB NUMSUB", Replies.map(Decoders.TEXT, Decoders.INTEGER))
            .idempotently();

    /** {@code PUBSUB NUMPAT}: returns the number of patterns with a subscriber. */
    public static final CommandSpec<Long> PUBSUB_NUMPAT =
            CommandSpec.of("PUBSUB NUMPAT", Decoders.INTEGER).idempotently();

    private PubSub() {}

    /** Publishes {@code message} to the current subscribers of {@code channel}. */
    public static Command<Long> publish(String channel, String message) {
        return Command.of(PUBLISH, channel, message);
    }

    /** Same command as {@link #publish(String, String)}, with a binary channel and message. */
    public static Command<Long> publish(byte[] channel, byte[] message) {
        return Command.of(PUBLISH, channel, message);
    }

    /** Publishes {@code message} to the current subscribers of {@code shardChannel}. */
    public static Command<Long> publishToShard(String shardChannel, String message) {
        return Command.of(SPUBLISH, shardChannel, message);
    }

    /** Same command as {@link #publishToShard(String, String)}, with a binary channel and message. */
    public static Command<Long> publishToShard(byte[] shardChannel, byte[] message) {
        return Command.of(SPUBLISH, shardChannel, message);
    }

    /**
     * Reads the names of the channels that match {@code pattern} and have a subscriber. Subscriptions to patterns do
     * not count.
     */
    public static Command<List<String>> channels(String pattern) {
        return Command.of(PUBSUB_CHANNELS, pattern);
    }

    /**
     * Counts the subscribers of each of {@code channels}. Subscriptions to patterns do not count. Requires at least
     * one channel.
     */
    public static Command<Map<String, Long>> subscribers(String... channels) {
        return Arguments.of().addEach("channels", channels).to(PUBSUB_NUMSUB);
    }

    /** Same command as {@link #subscribers(String...)}, with binary names. */
    public static Command<Map<byte[], Long>> subscribers(byte[]... channels) {
        return Arguments.of()
                .addEach("channels", channels)
                .to(PUBSUB_NUMSUB)
                .as(Replies.map(Replies::bytes, Decoders.INTEGER));
    }

    /** Counts the patterns that have a subscriber. */
    public static Command<Long> patterns() {
        return Command.of(PUBSUB_NUMPAT);
    }
}
