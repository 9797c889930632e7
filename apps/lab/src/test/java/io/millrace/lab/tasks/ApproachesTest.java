// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@ExtendWith(NoThreadLeft.class)
@Timeout(60)
class ApproachesTest {

    record Candidate(String library, ApproachMode mode, Approach approach) {

        @Override
        public String toString() {
            return library + "/" + mode.word();
        }
    }

    static Stream<Candidate> candidates() {
        return TaskLibrary.ALL.stream()
                .flatMap(library -> Arrays.stream(ApproachMode.values())
                        .flatMap(mode -> library.approaches().apply(mode).stream()
                                .map(approach -> new Candidate(library.name(), mode, approach))));
    }

    @Test
    void fs2ReactorAndMillraceHaveAllApproachesWithoutWorkStealing() {
        assertThat(candidates().filter(candidate -> candidate.mode != ApproachMode.WORK_STEALING))
                .extracting(Candidate::library)
                .filteredOn(library -> !library.equals("jdk"))
                .containsOnly("millrace", "fs2", "reactor")
                .hasSize(3 * (ApproachMode.values().length - 1));
        assertThat(candidates())
                .filteredOn(candidate -> candidate.mode == ApproachMode.WORK_STEALING)
                .extracting(Candidate::library)
                .containsExactly("millrace", "jdk");
    }

    @ParameterizedTest
    @MethodSource("candidates")
    void eachApproachConsumesEachTaskOnceInItsTime(Candidate candidate) throws Exception {
        TaskScenario scenario = Pace.SLOW_CONSUMER.scenario(7, Pace.TASKS, 50, candidate.mode.producers());
        TaskRecorder recorder = new TaskRecorder(scenario, event -> {});

        candidate.approach.run(scenario, recorder);

        assertThat(recorder.complaints()).isEmpty();
        assertThat(recorder.consumedTasks()).isEqualTo(Pace.TASKS);
    }

    @ParameterizedTest
    @MethodSource("candidates")
    void failureOfATaskOrABatchIsThrown(Candidate candidate) {
        var scenario = new TaskScenario(
                "ten-tasks", candidate.mode.producers(), 100, 1, Duration.ZERO, Collections.nCopies(10, Duration.ZERO));

        assertThatThrownBy(() -> candidate.approach.run(scenario, observer(batch -> {}, task -> fail(task))))
                .hasStackTraceContaining("number 7 fails");
        assertThatThrownBy(() -> candidate.approach.run(scenario, observer(batch -> fail(batch), task -> {})))
                .hasStackTraceContaining("number 7 fails");
    }

    private static void fail(int number) {
        if (number == 7) {
            throw new IllegalStateException("number 7 fails");
        }
    }

    static Approach.Observer observer(IntConsumer produced, IntConsumer consumed) {
        return new Approach.Observer() {
            @Override
            public void produced(int batch) {
                produced.accept(batch);
            }

            @Override
            public void consumed(int task) {
                consumed.accept(task);
            }
        };
    }
}
