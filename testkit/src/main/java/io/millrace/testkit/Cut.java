// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * A break of each connection, or of one, at an exact byte of one of its two streams.
 *
 * <p>Commands that are complete before the break are answered; a command that the break splits is not seen by the
 * handler at all. Counting starts with the connection's first byte, or where {@link #from} says.
 *
 * @param afterBytes how many counted bytes still pass, 0 or more
 * @param from name of the command with whose first occurrence (or whose reply) counting starts
 * @param connection the only connection that is broken, counted from 0 in the order they are accepted; nothing for every one
 */
public record Cut(Stream stream, long afterBytes, Ending ending, Optional<String> from, OptionalInt connection) {

    /** Which of the two byte streams of a connection is counted. */
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
    public static Cut requests(long afterBytes, Ending ending) {
        return new Cut(Stream.REQUESTS, afterBytes, ending, Optional.empty(), OptionalInt.empty());
    }

    /** A break once {@code afterBytes} bytes of replies have been written. */
    public static Cut replies(long afterBytes, Ending ending) {
        return new Cut(Stream.REPLIES, afterBytes, ending, Optional.empty(), OptionalInt.empty());
    }

    /** The same break, counted from the first command called {@code command}: a way past the handshake. */
    public Cut from(String command) {
        return new Cut(stream, afterBytes, ending, Optional.of(command), connection);
    }

    /** The same break of connection {@code index} alone, so that those after it live: a way to see a client reconnect. */
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
