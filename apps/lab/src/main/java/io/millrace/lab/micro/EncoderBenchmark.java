// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.micro;

import io.millrace.resp.RequestEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Encodes {@code SET} commands one after the other. A full buffer is used again from its start. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(MicroBenchmarks.FORKS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@State(Scope.Thread)
public class EncoderBenchmark {

    private static final byte[] SET = RequestEncoder.encodeName("SET");
    private static final String KEY = "user:123456";
    private static final int BUFFER_BYTES = 1 << 20;

    /** Length of a value. */
    @Param({"16", "1024"})
    int valueBytes;

    private final byte[] buffer = new byte[BUFFER_BYTES];
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

    /** One command; returns its length. */
    @Benchmark
    public int set() {
        encoder.begin(SET, 1);
        encoder.arg(KEY);
        encoder.arg(value, 0, value.length);
        return encoder.end();
    }
}
