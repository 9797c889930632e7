// SPDX-License-Identifier: Apache-2.0
package io.millrace.resp;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * What a server answers: one value of RESP2 or RESP3.
 *
 * <p>Replies are immutable by convention: a {@link BulkString} hands out its bytes without a copy, and nobody writes to
 * them. Both null forms of RESP2 and the null of RESP3 are {@link Null}.
 */
public sealed interface Reply {

    /** The reply {@code +OK}, which nearly every write command gives. */
    SimpleString OK = new SimpleString("OK");

    /** A status line, such as {@code +OK}. */
    record SimpleString(String text) implements Reply {}

    /**
     * An error reply: a command failed, the connection did not.
     *
     * @param message the server's words, the leading code included, such as {@code WRONGTYPE Operation against a key …}
     * @param fused whether it answered several commands at once, that had been sent as one
     */
    record ErrorReply(String message, boolean fused) implements Reply {

        /** The answer to a single command. */
        public ErrorReply(String message) {
            this(message, false);
        }

        /** The first word of the message, such as {@code WRONGTYPE}; {@code ERR} where the server has no better one. */
        public String code() {
            int space = message.indexOf(' ');
            return space < 0 ? message : message.substring(0, space);
        }
    }

    /** A signed 64-bit number. */
    record IntegerReply(long value) implements Reply {}

    /** Bytes of any kind, text or not; equal by content. */
    @SuppressWarnings("ArrayRecordComponent")
    record BulkString(byte[] bytes) implements Reply {

        /** These bytes as UTF-8 text; malformed input becomes the replacement character. */
        public String text() {
            return new String(bytes, StandardCharsets.UTF_8);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof BulkString that && Arrays.equals(bytes, that.bytes);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(bytes);
        }

        @Override
        public String toString() {
            return "BulkString[" + bytes.length + " bytes]";
        }
    }

    /** Nothing: the key or the field does not exist. */
    enum Null implements Reply {
        /** The only one. */
        NULL
    }

    /** Replies in order. */
    record ArrayReply(List<Reply> items) implements Reply {}

    /** RESP3: distinct replies, in the order the server sent them. */
    record SetReply(List<Reply> items) implements Reply {}

    /** RESP3: keys and values in turn, in the order the server sent them; always an even number. */
    record MapReply(List<Reply> keysAndValues) implements Reply {}

    /** RESP3: a message that answers no command, such as one of a subscription. Only ever outermost. */
    record Push(List<Reply> items) implements Reply {}

    /** RESP3: a floating-point number; may be infinite or not a number. */
    record DoubleReply(double value) implements Reply {}

    /** RESP3: true or false. */
    record BooleanReply(boolean value) implements Reply {}

    /** RESP3: an integer of any size. */
    record BigNumber(BigInteger value) implements Reply {}

    /**
     * RESP3: text with a hint for how to show it.
     *
     * @param format three letters, such as {@code txt} or {@code mkd}
     */
    record VerbatimString(String format, String text) implements Reply {}
}
