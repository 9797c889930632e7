// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * Tells a {@link FakeRedis} to end connections at an exact byte of the requests or of the replies.
 *
 * <p>If requests are cut, the server answers the commands that are complete before the cut. If the cut is in the middle
 * of a command, the handler does not receive this command.
 *
 * @param stream the stream whose bytes are counted: requests or replies
 * @param afterBytes number of counted bytes before the connection ends, 0 or more
 * @param ending how the connection ends
 * @param from name of the command at which counting starts. Requests are counted from the first command of this name,
 *     replies from the reply to this command. If empty, the first byte of the connection is the first counted byte
 * @param connection index of the connection to end, counted from 0 in the order of acceptance. If empty, the cut
 *     applies to every connection
 */
public record Cut(Stream stream, long afterBytes, ConnectionEnd ending, Optional<String> from, OptionalInt connection) {

    /** The stream of a connection whose bytes are counted. */
    public enum Stream {
        REQUESTS,
        REPLIES
    }

    public Cut {
        if (afterBytes < 0) {
            throw new IllegalArgumentException("afterBytes must be 0 or more: afterBytes=" + afterBytes);
        }
    }

    /** Ends each connection when the server has read {@code afterBytes} bytes of requests. */
    public static Cut requests(long afterBytes, ConnectionEnd connectionEnd) {
        return new Cut(Stream.REQUESTS, afterBytes, connectionEnd, Optional.empty(), OptionalInt.empty());
    }

    /** Ends each connection when the server has written {@code afterBytes} bytes of replies. */
    public static Cut replies(long afterBytes, ConnectionEnd connectionEnd) {
        return new Cut(Stream.REPLIES, afterBytes, connectionEnd, Optional.empty(), OptionalInt.empty());
    }

    /**
     * The same cut, but counting starts with the first command of the name {@code command}, except permission tests. In
     * this way, a test does not count the bytes of the handshake.
     */
    public Cut from(String command) {
        return new Cut(stream, afterBytes, ending, Optional.of(command), connection);
    }

    /**
     * The same cut, but of connection {@code index} only. Later connections stay open, so that a test can observe how a
     * client reconnects.
     */
    public Cut onConnection(int index) {
        return new Cut(stream, afterBytes, ending, from, OptionalInt.of(index));
    }

    boolean isFor(int index) {
        return connection.isEmpty() || connection.getAsInt() == index;
    }

    boolean startsAt(ReceivedCommand command) {
        return from.map(name -> name.equalsIgnoreCase(command.name()) && !command.isPermissionTest())
                .orElse(true);
    }
}
