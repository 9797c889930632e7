// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.micro;

import io.millrace.resp.Reply;
import io.millrace.resp.RespReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/** Parses replies that arrive together, 100 in each input. One operation is one reply. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(MicroBenchmarks.FORKS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@State(Scope.Thread)
public class ParserBenchmark {

    private static final int REPLIES = 100;

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

    @Benchmark
    @OperationsPerInvocation(REPLIES)
    public void parse(Blackhole blackhole) {
        reader.feed(input, 0, input.length);
        int replies = 0;
        while (reader.next()) {
            Reply next = reader.reply();
            blackhole.consume(next);
            replies++;
        }
        if (replies != REPLIES) {
            throw new IllegalStateException("replies: expected=" + REPLIES + ", parsed=" + replies);
        }
    }
}
