// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.micro;

import io.millrace.resp.RequestEncoder;
import io.millrace.resp.RespReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

/** Encodes {@code SET} commands one after the other, and parses replies that arrive together. */
public class RespBenchmark {

    private static final int REPLIES = 100;

    /** One command; returns its length. */
    @Benchmark
    public int encode(Encoder state) {
        return state.set();
    }

    /** 100 replies of one input. One operation is one reply. */
    @Benchmark
    @OperationsPerInvocation(REPLIES)
    public void parse(Parser state, Blackhole blackhole) {
        state.reader.feed(state.input, 0, state.input.length);
        int replies = 0;
        while (state.reader.next()) {
            blackhole.consume(state.reader.reply());
            replies++;
        }
        if (replies != REPLIES) {
            throw new IllegalStateException("replies: expected=" + REPLIES + ", parsed=" + replies);
        }
    }

    /** An encoder that uses a full buffer again from its start. */
    @State(Scope.Thread)
    public static class Encoder {

        private static final byte[] SET = RequestEncoder.encodeName("SET");
        private static final String KEY = "user:123456";

        /** Length of a value. */
        @Param({"16", "1024"})
        int valueBytes;

        private final byte[] buffer = new byte[1 << 20];
        private final RequestEncoder encoder = new RequestEncoder(bytes -> buffer);
        private byte[] value = new byte[0];

        /** Makes the value, and checks the encoded command. */
        @Setup
        public void prepare() {
            value = new byte[valueBytes];
            Arrays.fill(value, (byte) 'v');
            String expected = "*3\r\n$3\r\nSET\r\n$" + KEY.length() + "\r\n" + KEY + "\r\n$" + valueBytes + "\r\n"
                    + "v".repeat(valueBytes) + "\r\n";
            int length = set();
            String encoded = new String(buffer, encoder.finishedOffset() - length, length, StandardCharsets.UTF_8);
            if (!encoded.equals(expected)) {
                throw new IllegalStateException("wrong command: expected=" + expected + ", encoded=" + encoded);
            }
        }

        int set() {
            encoder.begin(SET, 1);
            encoder.arg(KEY);
            encoder.arg(value, 0, value.length);
            return encoder.end();
        }
    }

    /** A parser and its input. */
    @State(Scope.Thread)
    public static class Parser {

        /** Kind of the replies. */
        @Param({"ok", "integer", "bulk-16", "bulk-1024"})
        String reply = "ok";

        private final RespReader reader = new RespReader();
        private byte[] input = new byte[0];

        @Setup
        public void prepare() {
            String one = switch (reply) {
                case "ok" -> "+OK\r\n";
                case "integer" -> ":12345\r\n";
                case "bulk-16" -> "$16\r\n" + "v".repeat(16) + "\r\n";
                case "bulk-1024" -> "$1024\r\n" + "v".repeat(1024) + "\r\n";
                default -> throw new IllegalArgumentException("unknown reply: " + reply);
            };
            input = one.repeat(REPLIES).getBytes(StandardCharsets.UTF_8);
        }
    }
}
