// SPDX-License-Identifier: Apache-2.0
package io.millrace.resp;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A server's reply: one value of RESP2 or RESP3.
 *
 * <p>Replies are immutable by convention: {@link BulkString} returns its array without a copy, and callers must not
 * modify the array. RESP2 has two forms of null and RESP3 has one form. All three forms are decoded as {@link Null}.
 */
public sealed interface Reply {

    /** The reply {@code +OK}, which most write commands return. */
    SimpleString OK = new SimpleString("OK");

    /** A simple string, such as {@code +OK}. */
    record SimpleString(String text) implements Reply {

        /** Not generated: the JVM links a generated method at its first call, which takes about 10 ms. */
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof SimpleString that && text.equals(that.text);
        }

        @Override
        public int hashCode() {
            return text.hashCode();
        }
    }

    /**
     * An error reply. The command failed; the connection still works.
     *
     * @param message the server's message with the leading code, such as {@code WRONGTYPE Operation against a key …}
     * @param fused whether this is the reply to a fused command; a client sends a fused command in place of several
     *     commands
     */
    record ErrorReply(String message, boolean fused) implements Reply {

        /** Creates an error reply to a single command. */
        public ErrorReply(String message) {
            this(message, false);
        }

        /** First word of the message, such as {@code WRONGTYPE}. {@code ERR} is the server's general code. */
        public String code() {
            int space = message.indexOf(' ');
            return space < 0 ? message : message.substring(0, space);
        }
    }

    /** A signed 64-bit integer. */
    record IntegerReply(long value) implements Reply {}

    /** A string of any bytes, text or binary. Two bulk strings with the same content are equal. */
    @SuppressWarnings("ArrayRecordComponent")
    record BulkString(byte[] bytes) implements Reply {

        /** The bytes as UTF-8 text. Malformed input is decoded as the replacement character. */
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

    /** The null reply. Servers send null for a key or field that does not exist. */
    enum Null implements Reply {
        /** The only instance. */
        NULL
    }

    /** An array of replies. */
    record ArrayReply(List<Reply> items) implements Reply {}

    /** RESP3: a set of distinct replies, in the server's order. */
    record SetReply(List<Reply> items) implements Reply {}

    /** RESP3: a map as alternating keys and values, in the server's order. The number of items is even. */
    record MapReply(List<Reply> keysAndValues) implements Reply {}

    /**
     * RESP3: a message that is not a reply to a command, such as a pub/sub message. A push is never an element of
     * another reply.
     */
    record Push(List<Reply> items) implements Reply {}

    /** RESP3: a floating-point number; may be infinite or NaN. */
    record DoubleReply(double value) implements Reply {}

    /** RESP3: a boolean. */
    record BooleanReply(boolean value) implements Reply {}

    /** RESP3: an integer of any size. */
    record BigNumber(BigInteger value) implements Reply {}

    /**
     * RESP3: text with a format hint.
     *
     * @param format three letters, such as {@code txt} or {@code mkd}
     */
    record VerbatimString(String format, String text) implements Reply {}
}
