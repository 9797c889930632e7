// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * The answer of a {@link FakeRedis} to one command. Answers are immutable and leave in the order of their commands.
 */
public sealed interface Answer {

    /** The raw reply {@code reply}, in UTF-8, in one write. */
    static Answer reply(String reply) {
        return reply(reply.getBytes(UTF_8));
    }

    /** The raw reply {@code reply} in one write. */
    static Answer reply(byte[] reply) {
        return new Bytes(reply, Math.max(1, reply.length));
    }

    /**
     * The raw reply {@code reply} in writes of {@code pieceBytes} bytes, without delay between them.
     *
     * <p>TCP keeps no message borders: a slow reader may still find several pieces at once.
     */
    static Answer inPieces(String reply, int pieceBytes) {
        return new Bytes(reply.getBytes(UTF_8), pieceBytes);
    }

    /**
     * The RESP3 push with the elements {@code parts}, such as {@code push("message", "channel", "text")}, for {@link
     * FakeRedis#send}.
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

    /** No reply to this command; later ones are answered. A real server does this only after {@code CLIENT REPLY}. */
    static Answer noReply() {
        return reply("");
    }

    /** Ends the connection as {@code ending} says, instead of this reply and every later one. */
    static Answer end(ConnectionEnd connectionEnd) {
        return new End(connectionEnd);
    }

    /** The first {@code bytes} bytes of {@code reply}, then {@code ending}. */
    static Answer cut(String reply, int bytes, ConnectionEnd connectionEnd) {
        return reply(Arrays.copyOf(reply.getBytes(UTF_8), bytes)).then(end(connectionEnd));
    }

    /** This answer, then {@code next}. */
    default Answer then(Answer next) {
        return new Sequence(List.of(this, next));
    }

    /** This answer, once {@code released} is counted down. Replies to later commands queue behind it. */
    default Answer heldUntil(CountDownLatch released) {
        return new Held(released, this);
    }

    /**
     * This answer, {@code delay} after its turn: a slow command, which also delays the commands behind it. For a slow
     * network, where every byte is late but nothing waits, use {@link FaultProxy}.
     */
    default Answer delayedBy(Duration delay) {
        return new Delayed(delay, this);
    }

    /** Bytes to write, {@code pieceBytes} at a time. */
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

    /** An answer that the test releases. */
    record Held(CountDownLatch released, Answer answer) implements Answer {}

    /** An answer that is sent after a delay. */
    record Delayed(Duration delay, Answer answer) implements Answer {}

    /** Several answers to one command, one after the other. */
    record Sequence(List<Answer> answers) implements Answer {}
}
