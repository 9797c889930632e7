// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.micro;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MicroBenchmarksTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream progress = new ByteArrayOutputStream();

    private int run(String... args) throws IOException {
        return MicroBenchmarks.run(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(progress, true, StandardCharsets.UTF_8),
                args);
    }

    /** The iterations are too short for reliable values, so the test accepts both verdicts. */
    @Test
    void listenerBenchmarkPrintsTimeAllocationAndLimit() throws IOException {
        int exit = run("ListenerBenchmark.equalLatencies", "-f", "1", "-wi", "0", "-i", "1", "-r", "10ms");

        assertThat(exit).as(progress.toString(StandardCharsets.UTF_8)).isIn(0, 3);
        assertThat(out.toString(StandardCharsets.UTF_8))
                .matches("ListenerBenchmark\\.equalLatencies: [0-9.]+ ns \\(± .*\\), [0-9.]+ bytes; limit 100 ns, "
                        + "1 bytes: (held|NOT held)\n");
    }

    /** The iterations are too short for reliable values, so the test accepts both verdicts. */
    @Test
    void benchmarkOfTimersHasTheLimitOfAListener() throws IOException {
        int exit = run("MetersBenchmark", "-f", "1", "-wi", "0", "-i", "1", "-r", "10ms");

        assertThat(exit).as(progress.toString(StandardCharsets.UTF_8)).isIn(0, 3);
        assertThat(out.toString(StandardCharsets.UTF_8))
                .matches("MetersBenchmark\\.timers: [0-9.]+ ns \\(± .*\\), [0-9.]+ bytes; limit 100 ns, 1 bytes: "
                        + "(held|NOT held)\n");
    }

    /** The iterations are too short for reliable values, so the test accepts both verdicts. */
    @Test
    void nearHitBenchmarkPrintsItsLimit() throws IOException {
        int exit = run("NearHitBenchmark", "-f", "1", "-wi", "0", "-i", "1", "-r", "10ms");

        assertThat(exit).as(progress.toString(StandardCharsets.UTF_8)).isIn(0, 3);
        assertThat(out.toString(StandardCharsets.UTF_8))
                .matches("NearHitBenchmark\\.nearHit: [0-9.]+ ns \\(± .*\\), [0-9.]+ bytes; limit 200 ns: "
                        + "(held|NOT held)\n");
    }

    /** The iterations are too short for reliable values, so the test accepts both verdicts. */
    @Test
    void flowWithRateDeadlineAndRetriesHasALimitBesideThePlainFlow() throws IOException {
        int exit = run(
                "HandOverBenchmark",
                "-p",
                "library=millrace-flow,millrace-flow-rate-deadline-retry",
                "-p",
                "producers=1",
                "-f",
                "0",
                "-wi",
                "0",
                "-i",
                "1",
                "-r",
                "1ms");

        assertThat(exit).as(progress.toString(StandardCharsets.UTF_8)).isIn(0, 3);
        assertThat(out.toString(StandardCharsets.UTF_8).lines())
                .hasSize(2)
                .anyMatch(line -> line.contains("library=millrace-flow ") && !line.contains("limit"))
                .anyMatch(line ->
                        line.matches(".*library=millrace-flow-rate-deadline-retry .*; limit [0-9]+ ns: .*held"));
    }

    @Test
    void flowWithRateDeadlineAndRetriesMayCost300NanosecondsMore() {
        List<Cost> costs = Cost.besideEachOther(List.of(
                handOver("millrace-flow", 1, 500),
                handOver("millrace-flow-rate-deadline-retry", 1, 800),
                handOver("millrace-flow", 4, 400),
                handOver("millrace-flow-rate-deadline-retry", 4, 701),
                handOver("millrace-work-stealing", 4, 9_000)));

        assertThat(costs).extracting(Cost::isWithinLimits).containsExactly(true, true, true, false, true);
        assertThat(costs.get(3).line()).endsWith("; limit 700 ns: NOT held");
    }

    @Test
    void limitedFlowWithoutAMeasuredPlainFlowHasNoLimit() {
        assertThat(Cost.besideEachOther(List.of(handOver("millrace-flow-rate-deadline-retry", 1, 9_000))))
                .allMatch(Cost::isWithinLimits);
    }

    private static Cost handOver(String library, int producers, double nanos) {
        String name = "HandOverBenchmark.handOver library=" + library + " producers=" + producers;
        return new Cost(name, nanos, 1, 0, Optional.empty());
    }

    @Test
    void encoderAndParserPrintOneLineForEachParameter() throws IOException {
        int exit = run("RespBenchmark", "-f", "0", "-wi", "0", "-i", "1", "-r", "1ms");

        assertThat(exit).as(progress.toString(StandardCharsets.UTF_8)).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8).lines())
                .hasSize(6)
                .anyMatch(line -> line.startsWith("RespBenchmark.encode valueBytes=16: "))
                .anyMatch(line -> line.startsWith("RespBenchmark.parse reply=bulk-1024: "));
    }

    @ParameterizedTest
    @CsvSource({
        "millrace-flow",
        "millrace-flow-rate-deadline-retry",
        "millrace-work-stealing",
        "jdk-virtual-threads",
        "jdk-platform-threads",
        "fs2-stream",
        "fs2-queue",
        "reactor-parallel"
    })
    void handOverDeliversEachTaskOnce(String library) throws Exception {
        HandOverBenchmark benchmark = new HandOverBenchmark();
        benchmark.library = library;
        benchmark.producers = 4;
        benchmark.prepare();

        benchmark.handOver(); // throws an exception if number or sum of the tasks is wrong
    }

    @ParameterizedTest
    @ValueSource(strings = {"--no-such-option", "NoSuchBenchmark"})
    void wrongOptionAndUnknownBenchmarkFail(String argument) throws IOException {
        assertThat(run(argument)).isEqualTo(2);
        assertThat(progress.toString(StandardCharsets.UTF_8)).contains("lab micro: ");
    }

    @Test
    void limitHoldsUpToItsValueAndNeverWithoutAMeasuredValue() {
        assertThat(cost(100, 1).isWithinLimits()).isTrue();
        assertThat(cost(100.1, 0).isWithinLimits()).isFalse();
        assertThat(cost(1, 1.1).isWithinLimits()).isFalse();
        assertThat(cost(Double.NaN, 0).isWithinLimits()).isFalse();
        assertThat(cost(1, Double.NaN).isWithinLimits()).isFalse();
    }

    private static Cost cost(double nanos, double bytes) {
        return new Cost("benchmark", nanos, 1, bytes, Optional.of(Cost.LISTENER));
    }
}
