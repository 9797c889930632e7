// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * A name to which a {@link Subscription} subscribes: a channel, a pattern or a shard channel. Names are bytes, and
 * need not be text. Two topics are equal if they have the same kind and the same bytes. Immutable.
 */
public final class Topic {

    /** Kind of a topic. */
    public enum Kind {
        /** One channel, {@code SUBSCRIBE}. */
        CHANNEL,
        /** All channels whose names match a pattern, such as {@code news.*}: {@code PSUBSCRIBE}. */
        PATTERN,
        /** One shard channel, {@code SSUBSCRIBE}; needs Redis 7.0. Shard channels and channels are separate. */
        SHARD_CHANNEL
    }

    private final Kind kind;
    private final byte[] name;

    private Topic(Kind kind, byte[] name) {
        this.kind = kind;
        this.name = name;
    }

    public static Topic channel(String name) {
        return new Topic(Kind.CHANNEL, name.getBytes(StandardCharsets.UTF_8));
    }

    public static Topic channel(byte[] name) {
        return new Topic(Kind.CHANNEL, name.clone());
    }

    public static Topic pattern(String pattern) {
        return new Topic(Kind.PATTERN, pattern.getBytes(StandardCharsets.UTF_8));
    }

    public static Topic pattern(byte[] pattern) {
        return new Topic(Kind.PATTERN, pattern.clone());
    }

    public static Topic shardChannel(String name) {
        return new Topic(Kind.SHARD_CHANNEL, name.getBytes(StandardCharsets.UTF_8));
    }

    public static Topic shardChannel(byte[] name) {
        return new Topic(Kind.SHARD_CHANNEL, name.clone());
    }

    public Kind kind() {
        return kind;
    }

    /** The name as UTF-8 text. Malformed bytes are decoded as the replacement character. */
    public String text() {
        return new String(name, StandardCharsets.UTF_8);
    }

    /** Number of bytes of the name. */
    public int length() {
        return name.length;
    }

    /** A copy of the bytes of the name. */
    public byte[] bytes() {
        return name.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Topic topic && kind == topic.kind && Arrays.equals(name, topic.name);
    }

    @Override
    public int hashCode() {
        return 31 * kind.hashCode() + Arrays.hashCode(name);
    }

    /** The kind and the name, such as {@code channel "news"}. */
    @Override
    public String toString() {
        return kind.name().toLowerCase(Locale.ROOT).replace('_', ' ') + " \"" + text() + "\"";
    }
}
