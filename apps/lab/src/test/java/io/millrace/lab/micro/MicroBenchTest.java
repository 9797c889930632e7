// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.micro;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class MicroBenchTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream progress = new ByteArrayOutputStream();

    private int microBench(String... args) throws IOException {
        return MicroBench.run(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(progress, true, StandardCharsets.UTF_8),
                args);
    }

    /** The iterations are too short for reliable values, so the test accepts both verdicts. */
    @Test
    void eachBenchmarkPrintsTimeAndAllocation() throws IOException {
        int exit = microBench("-wi", "0", "-i", "1", "-r", "10ms");

        String output = progress.toString(StandardCharsets.UTF_8);
        assertThat(exit).as(output).isBetween(0, 1);
        assertThat(out.toString(StandardCharsets.UTF_8).lines().toList())
                .as(output)
                .satisfiesExactly(
                        line -> assertThat(line).matches(line("equalLatencies")),
                        line -> assertThat(line).matches(line("variedLatencies")));
    }

    private static String line(String method) {
        return "ListenerBenchmark\\." + method + ": [0-9.]+ ns per command \\(at most 100\\), "
                + "[0-9.]+ bytes per command \\(at most 1\\): (within|NOT within) the limits";
    }

    @Test
    void wrongOptionFails() throws IOException {
        assertThat(microBench("--no-such-option")).isEqualTo(2);
        assertThat(progress.toString(StandardCharsets.UTF_8)).startsWith("microbench: ");
    }

    @Test
    void unknownBenchmarkFails() throws IOException {
        assertThat(microBench("NoSuchBenchmark")).isEqualTo(2);
        assertThat(progress.toString(StandardCharsets.UTF_8)).contains("microbench: ");
    }

    @Test
    void costsUpToTheLimitsAreAccepted() {
        assertThat(cost(100, 1).isWithinLimits()).isTrue();
        assertThat(cost(100.1, 0).isWithinLimits()).isFalse();
        assertThat(cost(1, 1.1).isWithinLimits()).isFalse();
    }

    @Test
    void missingValueIsNotAccepted() {
        assertThat(cost(Double.NaN, 0).isWithinLimits()).isFalse();
        assertThat(cost(1, Double.NaN).isWithinLimits()).isFalse();
        assertThat(cost(1, Double.NaN).line()).contains("NaN bytes").endsWith("NOT within the limits");
    }

    private static Cost cost(double nanos, double bytes) {
        return new Cost("benchmark", nanos, bytes);
    }
}
