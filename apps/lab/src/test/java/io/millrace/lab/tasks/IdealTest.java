// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IdealTest {

    private static TaskScenario scenario(
            int producers, int consumers, int batch, long produceMillis, long... consumeMillis) {
        return new TaskScenario(
                "test",
                producers,
                consumers,
                batch,
                Duration.ofMillis(produceMillis),
                LongStream.of(consumeMillis).mapToObj(Duration::ofMillis).toList());
    }

    @Test
    void idealEndsWhenTheConsumerThatIsFreeFirstHasTakenTheLastTask() {
        assertThat(scenario(1, 1, 2, 10, 5, 7, 1, 2).ideal()).hasMillis(10 + 5 + 7 + 1 + 2);
        assertThat(scenario(1, 2, 5, 10, 9, 1, 4, 6, 2).ideal()).hasMillis(21);
        assertThat(scenario(2, 10, 1, 10, 3, 3, 3, 3).ideal()).hasMillis(23);
    }

    @ParameterizedTest
    @CsvSource({"SLOW_PRODUCER, 5.19", "BALANCED, 14.2", "SLOW_CONSUMER, 6.38"})
    void idealIsSomewhatBelowTheBestOfTheReference(Pace pace, double best) {
        assertThat(pace.scenario(42, Pace.TASKS, 1, 2).ideal().toNanos() / 1e9).isBetween(0.75 * best, best);
    }

    /** A simulation in steps of a millisecond: free consumers take the next tasks of complete batches. */
    @Test
    void simulationHasTheSameEnd() {
        Random random = new Random(42);
        for (int i = 0; i < 1_000; i++) {
            int batch = 1 + random.nextInt(4);
            TaskScenario scenario = scenario(
                    1 + random.nextInt(3),
                    1 + random.nextInt(4),
                    batch,
                    random.nextInt(12),
                    random.longs(batch * (1L + random.nextInt(6)), 1, 16).toArray());

            assertThat(scenario.ideal()).as("%s", scenario).hasMillis(simulated(scenario));
        }
    }

    private static long simulated(TaskScenario scenario) {
        long[] busyMillis = new long[scenario.consumers()];
        int next = 0;
        for (long now = 0; ; now++) {
            long rounds = scenario.produce().isZero()
                    ? scenario.batches()
                    : now / scenario.produce().toMillis();
            long complete = Math.min(scenario.tasks(), rounds * scenario.producers() * scenario.batch());
            for (int consumer = 0; consumer < busyMillis.length; consumer++) {
                busyMillis[consumer] = Math.max(0, busyMillis[consumer] - 1);
                if (busyMillis[consumer] == 0 && next < complete) {
                    busyMillis[consumer] = scenario.consume().get(next++).toMillis();
                }
            }
            if (next == scenario.tasks()) {
                return now + Arrays.stream(busyMillis).max().orElseThrow();
            }
        }
    }
}
