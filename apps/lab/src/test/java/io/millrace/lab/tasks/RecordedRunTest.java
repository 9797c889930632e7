// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.experiment.ProgressEvent;
import io.millrace.lab.experiment.ProgressEvent.Mark;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The checks of a run: {@link TaskRecorder} and {@link WaitCheck}. */
class RecordedRunTest {

    /** Two batches of three tasks, 10 ms each; three consumers, 20 ms for each task. */
    private static TaskScenario scenario(int producers) {
        return new TaskScenario(
                "test", producers, 3, 3, Duration.ofMillis(10), Collections.nCopies(6, Duration.ofMillis(20)));
    }

    private static List<String> complaints(int producers, double[] producedMillis, double... consumedMillis) {
        return new WaitCheck(scenario(producers), nanos(producedMillis), nanos(consumedMillis)).complaints();
    }

    private static long[] nanos(double... millis) {
        return DoubleStream.of(millis).mapToLong(one -> Math.round(one * 1e6)).toArray();
    }

    private static double[] produced(double... millis) {
        return millis;
    }

    @Test
    void idealScheduleHasNoComplaint() {
        assertThat(complaints(1, produced(10, 20), 30, 30, 30, 50, 50, 50)).isEmpty();
        assertThat(complaints(2, produced(10, 10), 30, 30, 30, 50, 50, 50)).isEmpty();
    }

    @Test
    void lateThreadsAndOtherOrdersHaveNoComplaint() {
        assertThat(complaints(1, produced(10.3, 25), 31, 39.5, 30.4, 51.2, 60.5, 80))
                .isEmpty();
        assertThat(complaints(1, produced(20, 10), 50, 50, 50, 30, 30, 30)).isEmpty();
    }

    @Test
    void additionalConsumerIsFound() {
        assertThat(complaints(1, produced(10, 20), 30, 30, 30, 49, 50, 50))
                .containsExactly("too many concurrent consumers: allowed=3, seen=4");
    }

    @Test
    void taskThatEndsBeforeItsWaitIsFound() {
        assertThat(complaints(1, produced(10, 20), 30, 29.8, 30, 50, 50, 50))
                .containsExactly("tasks were consumed too early: tasks=1, the first: task=1, batch produced after"
                        + " 10.0 ms, consumed after 29.8 ms, wait=20.0 ms");
    }

    @Test
    void taskThatStartsBeforeItsBatchIsFound() {
        assertThat(complaints(1, produced(10, 60), 30, 30, 30, 50, 50, 50))
                .singleElement()
                .asString()
                .startsWith("tasks were consumed too early: tasks=3");
    }

    @Test
    void producerThatWaitsTooShortAndAdditionalProducerAreFound() {
        assertThat(complaints(1, produced(9.8, 20), 30, 30, 30, 50, 50, 50))
                .containsExactly("a batch was produced too early: position=1, produced after 9.8 ms, producers=1,"
                        + " wait=10.0 ms");
        assertThat(complaints(1, produced(10, 10), 30, 30, 30, 50, 50, 50))
                .containsExactly("a batch was produced too early: position=2, produced after 10.0 ms, producers=1,"
                        + " wait=10.0 ms");
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

        described(JdkApproaches.LIBRARY, ApproachMode.NONBLOCKING_QUEUE).run(scenario, recorder);

        assertThat(events).filteredOn(new Mark('P')::equals).hasSize(10);
        assertThat(events).filteredOn(new Mark('C')::equals).hasSize(100);
        assertThat(recorder.trace().producedMillis()).hasSize(10).isSorted();
        assertThat(recorder.trace().consumedMillis()).hasSize(100).isSorted();
        assertThat(recorder.trace().tasksPerMark()).isEqualTo(10);
    }

    static Approach described(TaskLibrary library, ApproachMode mode) {
        TaskLibrary.Described described = library.approaches().get(mode);
        if (described == null) {
            throw new AssertionError("no approach: " + mode);
        }
        return described.approach();
    }
}
