// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IdealTest {

    private static Scenario scenario(
            int producers, int consumers, int batch, long produceMillis, long... consumeMillis) {
        return new Scenario(
                "a test's",
                producers,
                consumers,
                batch,
                Duration.ofMillis(produceMillis),
                LongStream.of(consumeMillis).mapToObj(Duration::ofMillis).toList());
    }

    private static long idealMillis(Scenario scenario) {
        return Ideal.of(scenario).toMillis();
    }

    @Test
    void oneConsumerWaitsForTheFirstBatchAndThenForEachTask() {
        assertThat(idealMillis(scenario(1, 1, 2, 10, 5, 7, 1, 2))).isEqualTo(10 + 5 + 7 + 1 + 2);
    }

    @Test
    void aConsumerThatIsFasterThanItsProducerWaitsForEveryBatch() {
        assertThat(idealMillis(scenario(1, 1, 1, 10, 5, 6, 7))).isEqualTo(3 * 10 + 7);
    }

    /**
     * At 10: 9 and 1 begin; at 11 the second is free for 4, until 15; at 15 it takes 6, until 21; the first takes 2
     * from 19 on.
     */
    @Test
    void eachTaskGoesToTheConsumerThatIsFreeFirst() {
        assertThat(idealMillis(scenario(1, 2, 5, 10, 9, 1, 4, 6, 2))).isEqualTo(21);
    }

    @Test
    void producersFetchTheirBatchesSideBySide() {
        assertThat(idealMillis(scenario(1, 10, 1, 10, 3, 3, 3, 3))).isEqualTo(43);
        assertThat(idealMillis(scenario(2, 10, 1, 10, 3, 3, 3, 3))).isEqualTo(23);
        assertThat(idealMillis(scenario(3, 10, 1, 10, 3, 3, 3, 3))).isEqualTo(23);
        assertThat(idealMillis(scenario(4, 10, 1, 10, 3, 3, 3, 3))).isEqualTo(13);
    }

    @Test
    void theFillingAndTheTailCount() {
        var scenario = scenario(1, 2, 2, 10, 1, 9);

        assertThat(idealMillis(scenario)).as("half the total wait would be 5").isEqualTo(19);
    }

    @ParameterizedTest
    @CsvSource({"SLOW_PRODUCER, 5.19", "BALANCED, 14.2", "SLOW_CONSUMER, 6.38"})
    void theIdealsAreSomewhatBelowTheBestThatTheReferenceMeasured(Pace pace, double best) {
        var ideal = Ideal.of(pace.scenario(Pace.DEFAULT_SEED, Pace.FULL, 2)).toNanos() / 1e9;

        assertThat(ideal).isBetween(0.75 * best, best);
    }

    /** Against a clock that ticks: at each millisecond free consumers take what is there, in order. */
    @Test
    void aSimulationThatTicksComesToTheSameEnd() {
        long seed = System.nanoTime();
        System.out.println("seed of the scenarios: " + seed);
        var random = new Random(seed);
        for (int i = 0; i < 2_000; i++) {
            int batch = 1 + random.nextInt(4);
            int tasks = batch * (1 + random.nextInt(6));
            var scenario = scenario(
                    1 + random.nextInt(3),
                    1 + random.nextInt(4),
                    batch,
                    random.nextInt(12),
                    IntStream.range(0, tasks)
                            .mapToLong(task -> 1 + random.nextInt(15))
                            .toArray());

            assertThat(idealMillis(scenario)).as("seed %d, %s", seed, scenario).isEqualTo(ticked(scenario));
        }
    }

    private static long ticked(Scenario scenario) {
        long[] left = new long[scenario.consumers()]; // milliseconds until each consumer is free
        int next = 0;
        for (long now = 0; ; now++) {
            long clock = now;
            for (int consumer = 0; consumer < left.length; consumer++) {
                left[consumer] = Math.max(0, left[consumer] - 1);
            }
            int there = (int) IntStream.range(0, scenario.batches())
                    .filter(batch -> fetchedAt(scenario, batch) <= clock)
                    .count();
            for (int consumer = 0; consumer < left.length; consumer++) {
                if (left[consumer] == 0 && next < there * scenario.batch()) {
                    left[consumer] = scenario.consume().get(next++).toMillis();
                }
            }
            if (next == scenario.tasks()) {
                return now + Arrays.stream(left).max().orElseThrow();
            }
        }
    }

    /** By going through the batches of each producer, one wait after the other. */
    private static long fetchedAt(Scenario scenario, int batch) {
        for (int producer = 0; producer < scenario.producers(); producer++) {
            long at = 0;
            for (int fetched = producer; fetched < scenario.batches(); fetched += scenario.producers()) {
                at += scenario.produce().toMillis();
                if (fetched == batch) {
                    return at;
                }
            }
        }
        throw new IllegalStateException("nobody fetches batch " + batch);
    }

    @Test
    void moreProducersAreNeverSlower() {
        for (var pace : Pace.values()) {
            var ideals = List.of(1, 2, 10).stream()
                    .map(producers -> Ideal.of(pace.scenario(7, Pace.FULL, producers)))
                    .toList();

            assertThat(ideals).as(pace.word()).isSortedAccordingTo(Comparator.reverseOrder());
        }
    }
}
