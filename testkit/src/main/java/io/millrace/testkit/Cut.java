// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.util.Optional;

/**
 * A break of each connection at an exact byte of one of its two streams.
 *
 * <p>Commands that are complete before the break are answered; a command that the break splits is not seen by the
 * handler at all. Counting starts with the connection's first byte, or where {@link #from} says.
 *
 * @param afterBytes how many counted bytes still pass, 0 or more
 * @param from name of the command with whose first occurrence (or whose reply) counting starts
 */
public record Cut(Stream stream, long afterBytes, Ending ending, Optional<String> from) {

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
        return new Cut(Stream.REQUESTS, afterBytes, ending, Optional.empty());
    }

    /** A break once {@code afterBytes} bytes of replies have been written. */
    public static Cut replies(long afterBytes, Ending ending) {
        return new Cut(Stream.REPLIES, afterBytes, ending, Optional.empty());
    }

    /** The same break, counted from the first command called {@code command}: a way past the handshake. */
    public Cut from(String command) {
        return new Cut(stream, afterBytes, ending, Optional.of(command));
    }

    boolean startsAt(ReceivedCommand command) {
        return from.map(name -> name.equalsIgnoreCase(command.name())).orElse(true);
    }
}
