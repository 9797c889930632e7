// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * A break of every connection, or of one connection, at an exact byte of one of its two streams.
 *
 * <p>Commands that are complete before the break are answered. The handler does not receive a command that the break
 * splits. Counting starts with the first byte of the connection, or with the command {@link #from}.
 *
 * @param afterBytes number of counted bytes before the break, 0 or more
 * @param from name of a command; requests are counted from the first command of this name, replies from the reply to
 *     this command; empty to count from the first byte
 * @param connection index of the only connection to break, in the order of acceptance from 0; empty for all connections
 */
public record Cut(Stream stream, long afterBytes, ConnectionEnd ending, Optional<String> from, OptionalInt connection) {

    /** The byte stream of a connection that is counted. */
    public enum Stream {
        REQUESTS,
        REPLIES
    }

    public Cut {
        if (afterBytes < 0) {
            throw new IllegalArgumentException("afterBytes must be 0 or more: afterBytes=" + afterBytes);
        }
    }

    /** A break once {@code afterBytes} bytes of requests have been read. */
    public static Cut requests(long afterBytes, ConnectionEnd connectionEnd) {
        return new Cut(Stream.REQUESTS, afterBytes, connectionEnd, Optional.empty(), OptionalInt.empty());
    }

    /** A break once {@code afterBytes} bytes of replies have been written. */
    public static Cut replies(long afterBytes, ConnectionEnd connectionEnd) {
        return new Cut(Stream.REPLIES, afterBytes, connectionEnd, Optional.empty(), OptionalInt.empty());
    }

    /** The same break, counted from the first command {@code command}. Use this method to skip the handshake. */
    public Cut from(String command) {
        return new Cut(stream, afterBytes, ending, Optional.of(command), connection);
    }

    /**
     * The same break, of connection {@code index} only. Later connections stay open, so that a test can observe that a
     * client reconnects.
     */
    public Cut onConnection(int index) {
        return new Cut(stream, afterBytes, ending, from, OptionalInt.of(index));
    }

    boolean isFor(int index) {
        return connection.isEmpty() || connection.getAsInt() == index;
    }

    boolean startsAt(ReceivedCommand command) {
        return from.map(name -> name.equalsIgnoreCase(command.name())).orElse(true);
    }
}
