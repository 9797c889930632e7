// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import io.millrace.client.RedisClient;

/**
 * Commands on channels. There is no {@code SUBSCRIBE} here, because it changes the mode of its connection. Use
 * {@link RedisClient#subscribe} instead.
 */
public final class PubSub {

    /** {@code PUBLISH channel message}: returns the number of clients of this server that received the message. */
    public static final CommandSpec<Long> PUBLISH =
            CommandSpec.of("PUBLISH", Replies::integer).withoutKey();

    /**
     * {@code SPUBLISH shardchannel message}: returns the number of clients of this server that received the message.
     * Needs Redis 7.0.
     */
    public static final CommandSpec<Long> SPUBLISH =
            CommandSpec.of("SPUBLISH", Replies::integer).withoutKey();

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
}
