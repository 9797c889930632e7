// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import static java.time.Duration.ZERO;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.lab.library.LeftThreads;
import io.millrace.lab.tasks.Witness.Event;
import io.millrace.lab.tasks.fs2.Fs2Approaches;
import io.millrace.lab.tasks.jox.JoxApproaches;
import io.millrace.lab.tasks.reactor.ReactorApproaches;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PeerApproachesTest {

    /** Timers may be so much early. */
    private static final Duration SLACK = Duration.ofMillis(1);

    private static final long SEED = System.nanoTime();

    @BeforeAll
    static void printSeed() {
        System.out.println("seed of the waits: " + SEED);
    }

    record Peer(String name, Approach approach) {

        boolean isOrdered() {
            return name.contains("stream");
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Peer> approaches() {
        return Stream.of(
                        named("fs2", Fs2Approaches.all()),
                        named("reactor", ReactorApproaches.all()),
                        named("jox", JoxApproaches.all()))
                .flatMap(List::stream);
    }

    static Stream<Peer> orderedApproaches() {
        return approaches().filter(Peer::isOrdered);
    }

    static Stream<Peer> unorderedApproaches() {
        return approaches().filter(peer -> !peer.isOrdered() && !peer.name.endsWith("/batch"));
    }

    @Test
    void theSevenAndTwoMoreAreThereInFs2() {
        assertThat(Fs2Approaches.all().keySet())
                .containsExactly(
                        "batch",
                        "blocking-queue",
                        "nonblocking-queue",
                        "stream-ordered",
                        "stream-ordered-prefetch",
                        "two-producers-queue",
                        "two-producers-streams",
                        "unordered",
                        "ten-producers");
    }

    @ParameterizedTest
    @MethodSource("approaches")
    void eachTaskIsConsumedOnceAfterItsBatch(Peer peer) throws Exception {
        for (int producers : new int[] {1, 2, 3, 10}) {
            var scenario = new Scenario("some", producers, 4, 5, Duration.ofMillis(1), waits(new Random(SEED), 50));
            var witness = new Witness();

            peer.approach.run(scenario, witness);

            assertThat(witness.producedBatches())
                    .extracting(Event::number)
                    .containsExactlyInAnyOrderElementsOf(numbers(scenario.batches()));
            assertThat(witness.consumedTasks())
                    .extracting(Event::number)
                    .containsExactlyInAnyOrderElementsOf(numbers(scenario.tasks()));
            assertThat(witness.consumedTasks())
                    .allSatisfy(task -> assertThat(task.after())
                            .isGreaterThanOrEqualTo(
                                    batchOf(task, scenario, witness).after()));
        }
    }

    @ParameterizedTest
    @MethodSource("approaches")
    void noMoreTasksThanConsumersAreInWork(Peer peer) throws Exception {
        var wait = Duration.ofMillis(5);
        var scenario = new Scenario("all-at-once", 2, 4, 20, ZERO, List.of(repeated(wait, 40)));
        var witness = new Witness();

        peer.approach.run(scenario, witness);

        var consumed = witness.consumedTasks();
        assertThat(numbers(consumed.size()))
                .allSatisfy(place -> assertThat(consumed.get(place).after())
                        .isGreaterThanOrEqualTo(wait.multipliedBy(place / 4 + 1).minus(SLACK)));
    }

    @ParameterizedTest
    @MethodSource("approaches")
    void aProducerWaitsBeforeEachOfItsBatches(Peer peer) throws Exception {
        var wait = Duration.ofMillis(500);
        var scenario = new Scenario("slow-producer", 2, 4, 3, wait, List.of(repeated(ZERO, 12)));
        var witness = new Witness();

        peer.approach.run(scenario, witness);

        var produced = witness.producedBatches();
        assertThat(produced)
                .allSatisfy(batch -> assertThat(batch.after())
                        .isGreaterThanOrEqualTo(
                                wait.multipliedBy(batch.number() / 2 + 1).minus(SLACK)));
        assertThat(produced.getLast().after().minus(produced.getFirst().after()))
                .as(
                        "from the first batch to the last; one producer after the other would wait three times between them")
                .isLessThan(wait.multipliedBy(3));
    }

    @ParameterizedTest
    @MethodSource("orderedApproaches")
    void aSlowTaskHoldsBackThoseAfterIt(Peer peer) throws Exception {
        var witness = new Witness();

        peer.approach.run(slowFirstTask(), witness);

        assertThat(placeOfFirstTask(witness)).isLessThan(4);
    }

    @ParameterizedTest
    @MethodSource("unorderedApproaches")
    void aSlowTaskHoldsBackNoOther(Peer peer) throws Exception {
        var witness = new Witness();

        peer.approach.run(slowFirstTask(), witness);

        assertThat(placeOfFirstTask(witness)).isEqualTo(39);
    }

    @ParameterizedTest
    @MethodSource("approaches")
    void whatFailsIsThrown(Peer peer) {
        var scenario = new Scenario("broken", 2, 4, 5, Duration.ofMillis(1), List.of(repeated(ZERO, 50)));
        Observer ofTasks = new Observer() {
            @Override
            public void produced(int batch) {}

            @Override
            public void consumed(int task) {
                if (task == 17) {
                    throw new IllegalStateException("task 17 cannot be consumed");
                }
            }
        };
        Observer ofBatches = new Observer() {
            @Override
            public void produced(int batch) {
                if (batch == 3) {
                    throw new IllegalStateException("batch 3 cannot be produced");
                }
            }

            @Override
            public void consumed(int task) {}
        };

        assertThatThrownBy(() -> peer.approach.run(scenario, ofTasks))
                .hasStackTraceContaining("task 17 cannot be consumed");
        assertThatThrownBy(() -> peer.approach.run(scenario, ofBatches))
                .hasStackTraceContaining("batch 3 cannot be produced");
    }

    @ParameterizedTest
    @MethodSource("approaches")
    void noThreadIsLeft(Peer peer) throws Exception {
        var before = Thread.getAllStackTraces().keySet();

        peer.approach.run(
                new Scenario("some", 2, 4, 5, Duration.ofMillis(1), List.of(repeated(Duration.ofMillis(1), 50))),
                new Witness());

        assertThat(LeftThreads.since(before)).isEmpty();
    }

    private static Scenario slowFirstTask() {
        var waits = new ArrayList<>(List.of(repeated(ZERO, 40)));
        waits.set(0, Duration.ofSeconds(1));
        return new Scenario("slow-first-task", 1, 4, 20, ZERO, waits);
    }

    private static int placeOfFirstTask(Witness witness) {
        return witness.consumedTasks().stream().map(Event::number).toList().indexOf(0);
    }

    private static Event batchOf(Event task, Scenario scenario, Witness witness) {
        return witness.producedBatches().stream()
                .filter(batch -> batch.number() == task.number() / scenario.batch())
                .findFirst()
                .orElseThrow();
    }

    private static List<Duration> waits(Random random, int tasks) {
        return random.ints(tasks, 0, 1_000)
                .mapToObj(micros -> Duration.ofNanos(micros * 1_000L))
                .toList();
    }

    private static Duration[] repeated(Duration wait, int tasks) {
        return Stream.generate(() -> wait).limit(tasks).toArray(Duration[]::new);
    }

    private static List<Integer> numbers(int until) {
        return IntStream.range(0, until).boxed().toList();
    }

    private static List<Peer> named(String library, Map<String, Approach> approaches) {
        return approaches.entrySet().stream()
                .map(approach -> new Peer(library + "/" + approach.getKey(), approach.getValue()))
                .toList();
    }
}
