// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.experiment.ProgressEvent;
import io.millrace.lab.experiment.ProgressEvent.Mark;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The checks of a run: {@link TaskRecorder} and {@link WaitCheck}. */
class RecordedRunTest {

    /** Two batches of three tasks, 10 ms each; three consumers, 20 ms for each task. */
    private static TaskScenario scenario(int producers) {
        return new TaskScenario(
                "test", producers, 3, 3, Duration.ofMillis(10), Collections.nCopies(6, Duration.ofMillis(20)));
    }

    private static List<String> complaints(int producers, String producedMillis, String consumedMillis) {
        return new WaitCheck(scenario(producers), nanos(producedMillis), nanos(consumedMillis)).complaints();
    }

    private static long[] nanos(String millis) {
        return Arrays.stream(millis.split(" "))
                .mapToLong(one -> Math.round(Double.parseDouble(one) * 1e6))
                .toArray();
    }

    @ParameterizedTest
    @CsvSource({
        "1, 10 20, 30 30 30 50 50 50",
        "2, 10 10, 30 30 30 50 50 50",
        "1, 10.3 25, 31 39.5 30.4 51.2 60.5 80",
        "1, 20 10, 50 50 50 30 30 30"
    })
    void idealScheduleLateThreadsAndOtherOrdersHaveNoComplaint(int producers, String produced, String consumed) {
        assertThat(complaints(producers, produced, consumed)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "10 20|30 30 30 49 50 50|too many concurrent consumers: allowed=3, seen=4",
                "10 20|30 29.8 30 50 50 50|tasks were consumed too early: tasks=1, the first: task=1, batch produced"
                        + " after 10.0 ms, consumed after 29.8 ms, wait=20.0 ms",
                "10 60|30 30 30 50 50 50|tasks were consumed too early: tasks=3",
                "9.8 20|30 30 30 50 50 50|a batch was produced too early: position=1, produced after 9.8 ms",
                "10 10|30 30 30 50 50 50|a batch was produced too early: position=2, produced after 10.0 ms"
            })
    void tooManyConsumersAndTooShortWaitsAreFound(String produced, String consumed, String complaint) {
        assertThat(complaints(1, produced, consumed)).singleElement().asString().startsWith(complaint);
    }

    @Test
    void lostAndRepeatedTasksAreFound() {
        TaskRecorder recorder = new TaskRecorder(scenario(1), event -> {});

        recorder.produced(0);
        IntStream.of(0, 1, 1, 5).forEach(recorder::consumed);

        assertThat(recorder.consumedTasks()).isEqualTo(3);
        assertThat(recorder.complaints())
                .containsExactly(
                        "batches produced: expected=2, missing=1 (the first: 1), repeated=0",
                        "tasks consumed: expected=6, missing=3 (the first: 2), repeated=1");
    }

    @Test
    void traceHasAHundredMarksAndTheListenerReceivesThem() throws Exception {
        ConcurrentLinkedQueue<ProgressEvent> events = new ConcurrentLinkedQueue<>();
        TaskScenario scenario = Pace.SLOW_PRODUCER.scenario(1, Pace.TASKS, 500, 1);
        TaskRecorder recorder = new TaskRecorder(scenario, events::add);

        JdkApproaches.of(ApproachMode.BLOCKING_QUEUE).orElseThrow().run(scenario, recorder);

        assertThat(events).filteredOn(new Mark('P')::equals).hasSize(10);
        assertThat(events).filteredOn(new Mark('C')::equals).hasSize(100);
        assertThat(recorder.trace().producedMillis()).hasSize(10).isSorted();
        assertThat(recorder.trace().consumedMillis()).hasSize(100).isSorted();
        assertThat(recorder.trace().tasksPerMark()).isEqualTo(10);
    }
}
