// SPDX-License-Identifier: Apache-2.0
package io.millrace.resp;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.resp.ReplyVectors.Vector;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RespReaderTest {

    private static final int MUTATIONS = 200_000;

    static List<Vector> vectors() {
        return ReplyVectors.all();
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void replyIsTheSameForEverySplitOfTheInputIntoThreeParts(Vector vector) {
        byte[] bytes = vector.bytes();

        for (int first = 0; first <= bytes.length; first++) {
            for (int second = first; second <= bytes.length; second++) {
                RespReader reader = new RespReader();

                List<Reply> replies = readInPieces(reader, bytes, first, second);

                assertThat(replies).as("split at %d and %d", first, second).containsExactly(vector.reply());
                assertThat(reader.atBoundary()).isTrue();
            }
        }
    }

    @Test
    void consecutiveRepliesKeepTheirOrderForEverySplitOfTheInput() {
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        List<Reply> expected = new ArrayList<>();
        for (Vector vector : ReplyVectors.all()) {
            stream.writeBytes(vector.bytes());
            expected.add(vector.reply());
        }
        byte[] bytes = stream.toByteArray();

        for (int split = 0; split <= bytes.length; split++) {
            assertThat(readInPieces(new RespReader(), bytes, split, split)).isEqualTo(expected);
        }
        assertThat(readByteByByte(bytes)).isEqualTo(expected);
    }

    @Test
    void bulkStringThatArrivesInSeveralPartsIsReadCompletely() {
        byte[] payload = new byte[300_000];
        new Random(1).nextBytes(payload);
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        stream.writeBytes("$300000\r\n".getBytes(ISO_8859_1));
        stream.writeBytes(payload);
        stream.writeBytes("\r\n".getBytes(ISO_8859_1));
        byte[] bytes = stream.toByteArray();

        RespReader reader = new RespReader();
        List<Reply> replies = new ArrayList<>();
        for (int from = 0; from < bytes.length; from += 7_001) {
            drain(reader, bytes, from, Math.min(bytes.length, from + 7_001), replies);
        }

        assertThat(replies).containsExactly(new Reply.BulkString(payload));
    }

    /** Bulk strings of up to 9,999 bytes have a fast path. Both paths must give the same replies. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 9, 10, 99, 100, 999, 1_000, 9_998, 9_999, 10_000, 10_001})
    void bulkStringOfEachLengthIsReadAloneInAnArrayAndAfterAPush(int length) {
        byte[] payload = new byte[length];
        new Random(length).nextBytes(payload);
        for (String header : List.of("$" + length, "$0" + length, "$00" + length)) {
            ByteArrayOutputStream stream = new ByteArrayOutputStream();
            stream.writeBytes((">1\r\n$1\r\nx\r\n" + header + "\r\n").getBytes(ISO_8859_1));
            stream.writeBytes(payload);
            stream.writeBytes(("\r\n*2\r\n" + header + "\r\n").getBytes(ISO_8859_1));
            stream.writeBytes(payload);
            stream.writeBytes("\r\n$-1\r\n".getBytes(ISO_8859_1));
            byte[] bytes = stream.toByteArray();
            Reply bulk = new Reply.BulkString(payload);

            for (int split = 0; split <= bytes.length; split += 1 + length / 50) {
                assertThat(readInPieces(new RespReader(), bytes, split, split))
                        .as("header %s, split at %d", header, split)
                        .containsExactly(
                                new Reply.Push(List.of(new Reply.BulkString(new byte[] {'x'}))),
                                bulk,
                                new Reply.ArrayReply(List.of(bulk, Reply.Null.NULL)));
            }
        }
    }

    @Test
    void bulkStringAboveTheLimitIsRejectedAlsoIfTheInputContainsTheWholeString() {
        RespLimits limits = new RespLimits(8, 64, 99, 8);

        assertMalformed(limits, "$100\r\n" + "x".repeat(100) + "\r\n");
        List<Reply> replies = new ArrayList<>();
        byte[] longest = ("$99\r\n" + "x".repeat(99) + "\r\n").getBytes(ISO_8859_1);
        drain(new RespReader(limits), longest, 0, longest.length, replies);
        assertThat(replies).hasSize(1);
    }

    @Test
    void memoryForADeclaredLengthIsNotReservedInAdvance() {
        RespReader reader = new RespReader();
        byte[] huge = "*100000000\r\n*100000000\r\n$536870912\r\nx".getBytes(ISO_8859_1);

        long before = allocatedBytes();
        reader.feed(huge, 0, huge.length);
        boolean whole = reader.next();
        long allocated = allocatedBytes() - before;

        assertThat(whole).isFalse();
        assertThat(allocated).isLessThan(200_000);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "OK\r\n",
                "\r\n",
                "+OK\n",
                "+O\rK\r\n",
                ":\r\n",
                ":-\r\n",
                ":1a\r\n",
                ":9223372036854775808\r\n",
                ":-9223372036854775809\r\n",
                ": 1\r\n",
                "$\r\n",
                "$-2\r\n",
                "$1\r\nab\r\n",
                "$2\r\nab\rx",
                "$01234567890\r\n",
                "$99999999999\r\n",
                "$?\r\n",
                "*?\r\n",
                "*-2\r\n",
                "~-1\r\n",
                "%-1\r\n",
                ">-1\r\n",
                "_x\r\n",
                "#x\r\n",
                "#\r\n",
                ",\r\n",
                ",1d\r\n",
                ",0x1p3\r\n",
                ", 1\r\n",
                ",1.2.3\r\n",
                "(12a\r\n",
                "(\r\n",
                "=3\r\ntxt\r\n",
                "*1\r\n>1\r\n:1\r\n",
                "\u0015\u0003\u0001\r\n"
            })
    void invalidRespIsRejectedAsMalformed(String wire) {
        byte[] bytes = wire.getBytes(ISO_8859_1);
        RespReader reader = new RespReader();

        assertThatThrownBy(() -> drain(reader, bytes, 0, bytes.length, new ArrayList<>()))
                .isInstanceOf(MalformedReplyException.class)
                .hasMessageStartingWith("not RESP: ");
    }

    @Test
    void repliesThatExceedALimitAreRejectedAsMalformed() {
        RespLimits limits = new RespLimits(3, 64, 10, 4);

        assertThat(readAll(limits, "*1\r\n*1\r\n*1\r\n:1\r\n")).hasSize(1);
        assertThat(readAll(limits, "+" + "x".repeat(60) + "\r\n")).hasSize(1);
        assertMalformed(limits, "*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n");
        assertMalformed(limits, "+" + "x".repeat(70) + "\r\n");
        assertMalformed(limits, "+" + "x".repeat(70));
        assertMalformed(limits, "$11\r\n");
        assertMalformed(limits, "*5\r\n");
        assertMalformed(limits, "%3\r\n");
    }

    @Test
    void readerTellsWhichElementExceedsALimitAndWhetherItBelongsToAPush() {
        RespLimits limits = new RespLimits(3, 64, 10, 4);

        assertFailure(limits, "$11\r\n", -1, false);
        assertFailure(limits, ">1\r\n:1\r\n*5\r\n", -1, false);
        assertFailure(limits, "*3\r\n:1\r\n*1\r\n:2\r\n$11\r\n", 2, false);
        assertFailure(limits, "*3\r\n:1\r\n*1\r\n$11\r\n", 1, false);
        assertFailure(limits, ">2\r\n:1\r\n$11\r\n", 1, true);
        assertFailure(limits, ">5\r\n", -1, true);
        assertFailure(limits, ">0\r\n$11\r\n", -1, false);
        assertFailure(limits, "|1\r\n:1\r\n$11\r\n", -1, false);
    }

    private static void assertFailure(RespLimits limits, String wire, int element, boolean inPush) {
        byte[] bytes = wire.getBytes(ISO_8859_1);
        RespReader reader = new RespReader(limits);

        assertThatThrownBy(() -> drain(reader, bytes, 0, bytes.length, new ArrayList<>()))
                .as(wire)
                .isInstanceOf(MalformedReplyException.class)
                .hasMessageStartingWith("a reply exceeds the limit ");
        assertThat(reader.completeElements()).as(wire).isEqualTo(element);
        assertThat(reader.isInPush()).as(wire).isEqualTo(inPush);
    }

    @Test
    void lineOfExactlyTheMaximumLengthIsReadForEverySplitOfTheInput() {
        byte[] bytes = ("+" + "x".repeat(63) + "\r\n").getBytes(ISO_8859_1);

        for (int split = 0; split <= bytes.length; split++) {
            RespReader reader = new RespReader(new RespLimits(3, 64, 10, 4));

            assertThat(readInPieces(reader, bytes, split, split)).hasSize(1);
        }
    }

    @Test
    void mutatedBytesAreDecodedOrRejectedAsMalformed() {
        long seed = Long.getLong("millrace.seed", System.nanoTime());
        System.out.println("mutatedReplies seed: " + seed);
        Random random = new Random(seed);
        List<Vector> vectors = ReplyVectors.all();
        int values = 0;
        int errors = 0;

        for (int i = 0; i < MUTATIONS; i++) {
            byte[] bytes = mutate(vectors.get(random.nextInt(vectors.size())).bytes(), random);
            RespReader reader = new RespReader();
            int split = random.nextInt(bytes.length + 1);
            try {
                readInPieces(reader, bytes, split, split);
                values++;
            } catch (MalformedReplyException expected) {
                errors++;
            }
        }

        assertThat(values + errors).isEqualTo(MUTATIONS);
        assertThat(values).isPositive();
        assertThat(errors).isPositive();
    }

    @Test
    void feedIsRejectedUntilThePreviousInputHasBeenRead() {
        RespReader reader = new RespReader();
        byte[] two = "+OK\r\n+OK\r\n".getBytes(ISO_8859_1);
        reader.feed(two, 0, two.length);
        reader.next();

        assertThatThrownBy(() -> reader.feed(two, 0, 1)).isInstanceOf(IllegalStateException.class);
    }

    private static byte[] mutate(byte[] original, Random random) {
        byte[] bytes = original.clone();
        int changes = 1 + random.nextInt(3);
        for (int i = 0; i < changes; i++) {
            int at = random.nextInt(bytes.length);
            bytes[at] = random.nextBoolean()
                    ? (byte) random.nextInt(256)
                    : (byte) "+-:$*_#,(!=~%>|0123456789\r\n".charAt(random.nextInt(27));
        }
        return bytes;
    }

    private static List<Reply> readAll(RespLimits limits, String wire) {
        byte[] bytes = wire.getBytes(ISO_8859_1);
        List<Reply> replies = new ArrayList<>();
        drain(new RespReader(limits), bytes, 0, bytes.length, replies);
        return replies;
    }

    private static void assertMalformed(RespLimits limits, String wire) {
        assertThatThrownBy(() -> readAll(limits, wire)).isInstanceOf(MalformedReplyException.class);
    }

    private static List<Reply> readInPieces(RespReader reader, byte[] bytes, int first, int second) {
        List<Reply> replies = new ArrayList<>();
        drain(reader, bytes, 0, first, replies);
        drain(reader, bytes, first, second, replies);
        drain(reader, bytes, second, bytes.length, replies);
        return replies;
    }

    private static List<Reply> readByteByByte(byte[] bytes) {
        RespReader reader = new RespReader();
        List<Reply> replies = new ArrayList<>();
        for (int i = 0; i < bytes.length; i++) {
            drain(reader, bytes, i, i + 1, replies);
        }
        return replies;
    }

    /**
     * Passes a copy of the bytes to the reader, and overwrites the copy afterwards. If the reader wrongly keeps a
     * reference to the copy, it later returns wrong replies, and the test fails.
     */
    private static void drain(RespReader reader, byte[] bytes, int from, int to, List<Reply> into) {
        byte[] copy = java.util.Arrays.copyOfRange(bytes, from, to);
        reader.feed(copy, 0, copy.length);
        while (reader.next()) {
            into.add(reader.reply());
        }
        java.util.Arrays.fill(copy, (byte) '!');
    }

    private static long allocatedBytes() {
        var threads = (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
        return threads.getCurrentThreadAllocatedBytes();
    }
}
