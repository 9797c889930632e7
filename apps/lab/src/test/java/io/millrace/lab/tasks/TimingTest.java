// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

/** Two batches of three tasks, 10 ms each; three consumers, 20 ms for a task. */
class TimingTest {

    private static Scenario scenario(int producers) {
        return new Scenario(
                "a test's", producers, 3, 3, Duration.ofMillis(10), Collections.nCopies(6, Duration.ofMillis(20)));
    }

    private static List<String> complaints(int producers, double[] producedMillis, double... consumedMillis) {
        return new Timing(scenario(producers), nanos(producedMillis), nanos(consumedMillis)).complaints();
    }

    private static long[] nanos(double... millis) {
        return DoubleStream.of(millis).mapToLong(one -> Math.round(one * 1e6)).toArray();
    }

    private static double[] produced(double... millis) {
        return millis;
    }

    @Test
    void theIdealScheduleIsRight() {
        assertThat(complaints(1, produced(10, 20), 30, 30, 30, 50, 50, 50)).isEmpty();
        assertThat(complaints(2, produced(10, 10), 30, 30, 30, 50, 50, 50)).isEmpty();
    }

    @Test
    void nobodyIsBlamedForBeingLateOrForAClockThatTicksALittleEarly() {
        assertThat(complaints(1, produced(10.3, 25), 31, 39.5, 30.4, 51.2, 60.5, 80))
                .isEmpty();
        assertThat(complaints(1, produced(9.95, 19.9), 29.9, 30, 30, 50, 49.95, 50))
                .isEmpty();
    }

    @Test
    void anyOrderIsRight() {
        assertThat(complaints(1, produced(20, 10), 50, 50, 50, 30, 30, 30)).isEmpty();
    }

    @Test
    void aFourthConsumerIsSeen() {
        assertThat(complaints(1, produced(10, 20), 30, 30, 30, 49, 50, 50))
                .containsExactly("consumers at once: allowed=3, seen=4");
        assertThat(complaints(1, produced(10, 20), 45, 45, 45, 45, 45, 45))
                .containsExactly("consumers at once: allowed=3, seen=6");
    }

    @Test
    void aTaskThatIsDoneBeforeItsWaitIsOverIsSeen() {
        assertThat(complaints(1, produced(10, 20), 30, 29.8, 30, 50, 50, 50))
                .containsExactly("tasks were consumed sooner than their waits permit: tasks=1, the first: task=1,"
                        + " batch there after 10.0 ms, consumed after 29.8 ms, wait=20.0 ms");
    }

    @Test
    void aTaskThatIsConsumedBeforeItsBatchIsThereIsSeen() {
        assertThat(complaints(1, produced(10, 60), 30, 30, 30, 50, 50, 50))
                .containsExactly("tasks were consumed sooner than their waits permit: tasks=3, the first: task=3,"
                        + " batch there after 60.0 ms, consumed after 50.0 ms, wait=20.0 ms");
    }

    @Test
    void aProducerThatDoesNotWaitLongEnoughIsSeen() {
        assertThat(complaints(1, produced(9.8, 20), 30, 30, 30, 50, 50, 50))
                .containsExactly("a batch was produced sooner than its producer's wait permits: number=1 in the order"
                        + " of time, produced after 9.8 ms, producers=1, wait=10.0 ms");
        assertThat(complaints(1, produced(15, 24), 35, 35, 35, 55, 55, 55))
                .containsExactly("a batch was produced sooner than its producer's wait permits: number=2 in the order"
                        + " of time, produced after 24.0 ms, producers=1, wait=10.0 ms");
    }

    @Test
    void aSecondProducerWhereThereIsToBeOneIsSeen() {
        assertThat(complaints(1, produced(10, 10), 30, 30, 30, 50, 50, 50))
                .containsExactly("a batch was produced sooner than its producer's wait permits: number=2 in the order"
                        + " of time, produced after 10.0 ms, producers=1, wait=10.0 ms");
    }
}
