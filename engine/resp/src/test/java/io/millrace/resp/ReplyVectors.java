// SPDX-License-Identifier: Apache-2.0
package io.millrace.resp;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.math.BigInteger;
import java.util.List;

/** Test vectors: replies of every type, each with its encoded bytes. */
final class ReplyVectors {

    /** A reply and its bytes, written as Latin-1 text. */
    record Vector(String wire, Reply reply) {
        byte[] bytes() {
            return wire.getBytes(ISO_8859_1);
        }
    }

    private ReplyVectors() {}

    static List<Vector> all() {
        return List.of(
                new Vector("+OK\r\n", Reply.OK),
                new Vector("+\r\n", new Reply.SimpleString("")),
                new Vector("+QUEUED\r\n", new Reply.SimpleString("QUEUED")),
                new Vector("-ERR no such key\r\n", new Reply.ErrorReply("ERR no such key")),
                new Vector(":0\r\n", integer(0)),
                new Vector(":-1\r\n", integer(-1)),
                new Vector(":+12\r\n", integer(12)),
                new Vector(":9223372036854775807\r\n", integer(Long.MAX_VALUE)),
                new Vector(":-9223372036854775808\r\n", integer(Long.MIN_VALUE)),
                new Vector("$-1\r\n", Reply.Null.NULL),
                new Vector("*-1\r\n", Reply.Null.NULL),
                new Vector("_\r\n", Reply.Null.NULL),
                new Vector("$0\r\n\r\n", bulk("")),
                new Vector("$5\r\nhello\r\n", bulk("hello")),
                new Vector("$7\r\na\r\nb\0\u00ff\u0080\r\n", bulk("a\r\nb\0\u00ff\u0080")),
                new Vector("*0\r\n", new Reply.ArrayReply(List.of())),
                new Vector(
                        "*3\r\n$1\r\na\r\n:2\r\n$-1\r\n",
                        new Reply.ArrayReply(List.of(bulk("a"), integer(2), Reply.Null.NULL))),
                new Vector(
                        "*2\r\n*1\r\n+OK\r\n*1\r\n*0\r\n",
                        new Reply.ArrayReply(List.of(
                                new Reply.ArrayReply(List.of(Reply.OK)),
                                new Reply.ArrayReply(List.of(new Reply.ArrayReply(List.of())))))),
                new Vector("%1\r\n+a\r\n:1\r\n", new Reply.MapReply(List.of(new Reply.SimpleString("a"), integer(1)))),
                new Vector("%0\r\n", new Reply.MapReply(List.of())),
                new Vector("~2\r\n:1\r\n:2\r\n", new Reply.SetReply(List.of(integer(1), integer(2)))),
                new Vector(
                        ">2\r\n$10\r\ninvalidate\r\n_\r\n",
                        new Reply.Push(List.of(bulk("invalidate"), Reply.Null.NULL))),
                new Vector("#t\r\n", new Reply.BooleanReply(true)),
                new Vector("#f\r\n", new Reply.BooleanReply(false)),
                new Vector(",3.25\r\n", new Reply.DoubleReply(3.25)),
                new Vector(",-1.5e-3\r\n", new Reply.DoubleReply(-0.0015)),
                new Vector(",inf\r\n", new Reply.DoubleReply(Double.POSITIVE_INFINITY)),
                new Vector(",-inf\r\n", new Reply.DoubleReply(Double.NEGATIVE_INFINITY)),
                new Vector(",nan\r\n", new Reply.DoubleReply(Double.NaN)),
                new Vector(
                        "(3492890328409238509324850943850943825024385\r\n",
                        new Reply.BigNumber(new BigInteger("3492890328409238509324850943850943825024385"))),
                new Vector("!9\r\nERR multi\r\n", new Reply.ErrorReply("ERR multi")),
                new Vector("=8\r\ntxt:text\r\n", new Reply.VerbatimString("txt", "text")),
                new Vector("|1\r\n+ttl\r\n:3600\r\n:5\r\n", integer(5)),
                new Vector(
                        "*2\r\n|1\r\n+a\r\n*1\r\n:9\r\n:1\r\n:2\r\n",
                        new Reply.ArrayReply(List.of(integer(1), integer(2)))));
    }

    static Reply integer(long value) {
        return new Reply.IntegerReply(value);
    }

    static Reply bulk(String text) {
        return new Reply.BulkString(text.getBytes(ISO_8859_1));
    }
}
