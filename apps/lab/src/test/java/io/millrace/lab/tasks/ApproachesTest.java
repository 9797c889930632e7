// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
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

    private static final long SEED = 7;

    record Candidate(String library, ApproachMode mode, Approach approach) {

        @Override
        public String toString() {
            return library + "/" + mode.word();
        }
    }

    static Stream<Candidate> candidates() {
        return TaskLibraries.ALL.stream()
                .flatMap(library -> library.approaches().entrySet().stream()
                        .map(entry -> new Candidate(
                                library.name(), entry.getKey(), entry.getValue().approach())));
    }

    @Test
    void fs2ReactorAndMillraceHaveAllApproachesOfTheReference() {
        Set<ApproachMode> withoutStealing = EnumSet.complementOf(EnumSet.of(ApproachMode.WORK_STEALING));

        assertThat(TaskLibraries.ALL)
                .filteredOn(library -> !library.name().equals("jdk"))
                .hasSize(3)
                .allSatisfy(library -> assertThat(library.approaches().keySet()).containsAll(withoutStealing));
        assertThat(MillraceApproaches.LIBRARY.approaches()).containsKey(ApproachMode.WORK_STEALING);
    }

    @ParameterizedTest
    @MethodSource("candidates")
    void eachApproachConsumesEachTaskOnceInItsTime(Candidate candidate) throws Exception {
        TaskScenario scenario = Pace.SLOW_CONSUMER.scenario(SEED, Pace.TASKS, 50, candidate.mode.producers());
        TaskRecorder recorder = new TaskRecorder(scenario, event -> {});

        candidate.approach.run(scenario, recorder);

        assertThat(recorder.complaints()).isEmpty();
        assertThat(recorder.consumedTasks()).isEqualTo(Pace.TASKS);
    }

    @ParameterizedTest
    @MethodSource("candidates")
    void failureOfATaskOrABatchIsThrown(Candidate candidate) {
        assertThatThrownBy(() -> candidate.approach.run(tenTasks(candidate), observer(batch -> {}, task -> fail(task))))
                .hasStackTraceContaining("number 7 fails");
        assertThatThrownBy(
                        () -> candidate.approach.run(tenTasks(candidate), observer(batch -> fail(batch), task -> {})))
                .hasStackTraceContaining("number 7 fails");
    }

    private static TaskScenario tenTasks(Candidate candidate) {
        return new TaskScenario(
                "ten-tasks", candidate.mode.producers(), 100, 1, Duration.ZERO, Collections.nCopies(10, Duration.ZERO));
    }

    private static void fail(int number) {
        if (number == 7) {
            throw new IllegalStateException("number 7 fails");
        }
    }

    private static TaskObserver observer(IntConsumer produced, IntConsumer consumed) {
        return new TaskObserver() {
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
