// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * The answer of a {@link FakeRedis} to one command. Answers are immutable and are sent in the order of their commands.
 */
public sealed interface Answer {

    /** Sends the raw reply {@code reply}, in UTF-8, in one write. */
    static Answer reply(String reply) {
        return reply(reply.getBytes(UTF_8));
    }

    /** Sends the raw reply {@code reply} in one write. */
    static Answer reply(byte[] reply) {
        return new Bytes(reply, Math.max(1, reply.length));
    }

    /**
     * Sends the raw reply {@code reply} in writes of {@code pieceBytes} bytes, without a delay between the writes.
     *
     * <p>TCP does not keep the borders between writes: a slow client may receive the bytes of several writes in one
     * read.
     */
    static Answer inPieces(String reply, int pieceBytes) {
        return new Bytes(reply.getBytes(UTF_8), pieceBytes);
    }

    /**
     * A RESP3 push with the elements {@code parts}, such as {@code push("message", "channel", "text")}. A test sends it
     * with {@link FakeRedis#send}.
     */
    static Answer push(String... parts) {
        StringBuilder push =
                new StringBuilder().append('>').append(parts.length).append("\r\n");
        for (String part : parts) {
            push.append('$').append(part.getBytes(UTF_8).length).append("\r\n");
            push.append(part).append("\r\n");
        }
        return reply(push.toString());
    }

    /**
     * Sends no reply to this command, but later commands are answered. A real server skips a reply only after the
     * command {@code CLIENT REPLY}.
     */
    static Answer noReply() {
        return reply("");
    }

    /** Ends the connection as {@code connectionEnd} says. This command and later commands receive no reply. */
    static Answer end(ConnectionEnd connectionEnd) {
        return new End(connectionEnd);
    }

    /**
     * Sends the first {@code bytes} bytes of {@code reply}, and then ends the connection as {@code connectionEnd} says.
     */
    static Answer cut(String reply, int bytes, ConnectionEnd connectionEnd) {
        return reply(Arrays.copyOf(reply.getBytes(UTF_8), bytes)).then(end(connectionEnd));
    }

    /** Sends this answer, and after that the answer {@code next}. Both answers reply to the same command. */
    default Answer then(Answer next) {
        return new Sequence(List.of(this, next));
    }

    /**
     * Sends this answer when all earlier answers have been sent and the count of {@code released} is zero. The replies
     * to later commands wait until this answer has been sent.
     */
    default Answer heldUntil(CountDownLatch released) {
        return new Held(released, this);
    }

    /**
     * Sends this answer after {@code delay}, like a server that executes a slow command. The delay begins when all
     * earlier answers have been sent. Answers to later commands wait until this answer has been sent.
     *
     * <p>To simulate a slow network, use {@link FaultProxy}: it delays each byte, but no answer waits for another
     * answer.
     */
    default Answer delayedBy(Duration delay) {
        return new Delayed(delay, this);
    }

    /** A reply that is written in pieces of {@code pieceBytes} bytes. */
    final class Bytes implements Answer {
        private final byte[] bytes;
        private final int pieceBytes;

        private Bytes(byte[] bytes, int pieceBytes) {
            if (pieceBytes < 1) {
                throw new IllegalArgumentException("pieceBytes must be at least 1: pieceBytes=" + pieceBytes);
            }
            this.bytes = bytes.clone();
            this.pieceBytes = pieceBytes;
        }

        byte[] bytes() {
            return bytes;
        }

        int pieceBytes() {
            return pieceBytes;
        }
    }

    /** Ends the connection. */
    record End(ConnectionEnd ending) implements Answer {}

    /** An answer that is not sent before the test counts {@code released} down to zero. */
    record Held(CountDownLatch released, Answer answer) implements Answer {}

    /** An answer that is sent after a delay. */
    record Delayed(Duration delay, Answer answer) implements Answer {}

    /** Several answers to one command, one after the other. */
    record Sequence(List<Answer> answers) implements Answer {}
}
