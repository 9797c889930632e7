// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.tasks.Ideal;
import io.millrace.lab.tasks.Scenario;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** E4 as its users run it, with a hundredth of the waits: the JDK's ways, and beside them some that are wrong. */
@KeepsJvms
class TaskProcessingTest {

    private static final List<String> SCENARIOS = List.of("slow-producer", "balanced", "slow-consumer");

    private static LabRun lab = new LabRun(0, "", "");

    @BeforeAll
    static void run() {
        lab = LabRun.of(
                "run",
                "e4",
                "--size",
                "10",
                "--rounds",
                "2",
                "--seed",
                "7",
                "--rtt",
                "0,1ms",
                "--contenders",
                "jdk,broken-tasks",
                "--json");
    }

    private static JsonNode result(String contender, String variant) {
        return lab.results(contender).stream()
                .filter(result -> result.path("variant").stringValue().equals(variant))
                .findFirst()
                .orElseThrow();
    }

    private static Stream<JsonNode> children(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false);
    }

    private static List<Double> doubles(JsonNode array) {
        return children(array).map(JsonNode::doubleValue).toList();
    }

    @Test
    void everyScenarioIsGoneThroughByEveryApproachOfTheJdk() {
        assertThat(lab.results("jdk").stream()
                        .map(result -> result.path("variant").stringValue()))
                .startsWith(SCENARIOS.stream()
                        .flatMap(scenario -> Stream.of(
                                        "batch",
                                        "blocking-queue",
                                        "nonblocking-queue",
                                        "two-producers-queue",
                                        "ten-producers")
                                .map(approach -> scenario + "/" + approach))
                        .toArray(String[]::new))
                .endsWith(
                        "overhead/1-producer",
                        "overhead/1-producer-platform-threads",
                        "overhead/4-producers",
                        "overhead/4-producers-platform-threads",
                        "deadlock/two-platform-threads",
                        "deadlock/virtual-threads");
        assertThat(lab.results("jdk")).allSatisfy(result -> {
            assertThat(result.path("verified").booleanValue(false))
                    .as(result.toString())
                    .isTrue();
            assertThat(result.path("experiment").stringValue()).isEqualTo("e4");
            assertThat(result.path("rttMillis").doubleValue()).isZero();
            assertThat(result.path("serverBusy").isNull()).isTrue();
        });
    }

    /** From what the JSON says alone, as any other program could. */
    @Test
    void theIdealCanBeComputedFromTheWaitsInTheReport() {
        var scenarios = children(lab.json().path("scenarios")).toList();

        assertThat(scenarios.stream()
                        .map(one -> one.path("name").stringValue() + " "
                                + one.path("producers").intValue()))
                .containsExactlyInAnyOrderElementsOf(SCENARIOS.stream()
                        .flatMap(name -> Stream.of(1, 2, 10).map(producers -> name + " " + producers))
                        .toList());
        for (var drawn : scenarios) {
            assertThat(drawn.path("seed").longValue()).isEqualTo(7);
            double ideal = Ideal.of(scenario(drawn)).toNanos() / 1e9;
            var approach = switch (drawn.path("producers").intValue()) {
                case 1 -> "/nonblocking-queue";
                case 2 -> "/two-producers-queue";
                default -> "/ten-producers";
            };
            var result = result("jdk", drawn.path("name").stringValue() + approach);
            assertThat(result.path("idealSeconds").doubleValue()).isCloseTo(ideal, Offset.offset(1e-6));
            assertThat(result.path("medianWallSeconds").doubleValue()).isGreaterThan(0.9 * ideal);
        }
    }

    private static Scenario scenario(JsonNode drawn) {
        return new Scenario(
                drawn.path("name").stringValue(),
                drawn.path("producers").intValue(),
                drawn.path("consumers").intValue(),
                drawn.path("batch").intValue(),
                millis(drawn.path("produceMillis")),
                children(drawn.path("consumeMillis"))
                        .map(TaskProcessingTest::millis)
                        .toList());
    }

    private static Duration millis(JsonNode number) {
        return Duration.ofNanos(Math.round(number.doubleValue() * 1e6));
    }

    @Test
    void theTraceSaysWhenBatchesCameAndTasksWereDone() {
        var result = result("jdk", "slow-producer/batch");
        var trace = result.path("trace");

        assertThat(result.path("operations").longValue()).isEqualTo(1_000);
        assertThat(doubles(trace.path("producedMillis"))).hasSize(10).isSorted();
        assertThat(doubles(trace.path("consumedMillis"))).hasSize(100).isSorted();
        assertThat(trace.path("tasksPerMark").intValue()).isEqualTo(10);
        assertThat(doubles(trace.path("producedMillis")).getFirst()).isBetween(9.9, 500.0);
    }

    /**
     * Bounds that hold on a busy machine too: batch by batch cannot be faster than this, which is slower than the
     * ideal.
     */
    @Test
    void batchByBatchTakesTheLongestWaitOfEachBatch() {
        for (var drawn : children(lab.json().path("scenarios")).toList()) {
            var scenario = scenario(drawn);
            double bound = IntStream.range(0, scenario.batches())
                            .mapToLong(batch -> scenario.produce().toNanos()
                                    + scenario.batch(batch).stream()
                                            .mapToLong(task ->
                                                    scenario.consume().get(task).toNanos())
                                            .max()
                                            .orElseThrow())
                            .sum()
                    / 1e9;

            assertThat(result("jdk", scenario.name() + "/batch")
                            .path("medianWallSeconds")
                            .doubleValue())
                    .isGreaterThan(0.99 * bound);
            assertThat(bound).isGreaterThan(1.05 * Ideal.of(scenario).toNanos() / 1e9);
        }
    }

    @Test
    void wrongApproachesFailAndSayWhy() {
        assertThat(lab.exit()).isEqualTo(1);
        for (var scenario : SCENARIOS) {
            assertThat(failure(scenario + "/batch"))
                    .isEqualTo("tasks consumed: expected=1000, never=1 (the first: 999), more than once=0");
            assertThat(failure(scenario + "/blocking-queue"))
                    .isEqualTo("tasks consumed: expected=1000, never=0, more than once=1");
            assertThat(failure(scenario + "/unordered")).startsWith("consumers at once: allowed=100, seen=");
            assertThat(failure(scenario + "/work-stealing"))
                    .isEqualTo("broken-tasks, asked to open, failed: IllegalStateException: no thief is to be had");
        }
        assertThat(failure("overhead/1-producer"))
                .isEqualTo(
                        "numbers handed over: expected=10000, came=10000; their sum: expected=49995000, came=49985001");
    }

    private static String failure(String variant) {
        var result = result("broken-tasks", variant);
        assertThat(result.path("verified").booleanValue(true)).isFalse();
        return result.path("failure").stringValue();
    }

    @Test
    void theDeadlockIsSaidAloudAndIsNoFailureOfTheLab() {
        var pool = result("jdk", "deadlock/two-platform-threads");
        var virtual = result("jdk", "deadlock/virtual-threads");

        assertThat(pool.path("note").stringValue())
                .contains(
                        "; DEADLOCK: nothing has moved for 0.",
                        "produced=0 of 100, consumed=0, thread-1 WAITING in ArrayBlockingQueue.take, "
                                + "thread-2 WAITING in ArrayBlockingQueue.take");
        assertThat(pool.path("outcomes").path("ok").longValue()).isZero();
        assertThat(pool.path("outcomes").path("lost").longValue()).isEqualTo(100);
        assertThat(pool.path("failure").isNull()).isTrue();
        assertThat(virtual.path("note").stringValue()).endsWith("; no deadlock: 100 of 100 tasks done");
        assertThat(virtual.path("outcomes").path("ok").longValue()).isEqualTo(100);
    }

    @Test
    void theTableHasTheIdealTheRhythmTheCostOfATaskAndTheDeadlock() {
        var table = LabRun.of("run", "e4", "--size", "10", "--rounds", "1", "--contenders", "jdk");

        assertThat(table.exit()).as(table.err()).isZero();
        assertThat(table.out().lines())
                .anyMatch(line -> line.matches("variant +contender .*spread s +ideal s +over ideal % .*verified"))
                .anyMatch(line -> line.matches("ideal: 0\\.\\d{3} s with 1 producer, 0\\.\\d{3} s with 2 producers, "
                        + "0\\.\\d{3} s with 10 producers; waits drawn from seed 2026"))
                .anyMatch(line -> line.matches("slow-producer/batch +jdk +(PC{10}){10}  C=10"))
                .anyMatch(line -> line.matches("variant +contender .* ns per task .*"))
                .anyMatch(line -> line.startsWith("deadlock/two-platform-threads, jdk: DEADLOCK: "))
                .noneMatch(line -> line.contains("server busy"));
        assertThat(table.err().lines())
                .anyMatch(line -> line.matches("slow-producer, round 1 of 1, jdk/batch: .* s, client CPU .* s"))
                .noneMatch(line -> line.startsWith("slow-producer, warm-up"));
    }
}
