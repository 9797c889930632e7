// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.testkit.NoThreadLeft;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ExtendWith(NoThreadLeft.class)
class TaskExperimentTest {

    private static final Experiment EXPERIMENT = TaskExperiment.of(Parameters.DEFAULT);

    private static Parameters parameters(OptionalLong size, Optional<Duration> duration) {
        return new Parameters(
                size,
                duration,
                OptionalInt.empty(),
                OptionalInt.empty(),
                Optional.empty(),
                OptionalLong.empty(),
                42,
                true);
    }

    private static RoundDetails round(String scenario, String contender, long size) throws Exception {
        var parameters = parameters(OptionalLong.of(size), Optional.empty());
        var experiment = TaskExperiment.of(parameters);
        var work = ((JvmContender) experiment.scenario(scenario).contender(contender)).work();
        Target unused = Target.of("127.0.0.1", 1);
        var context = new WorkContext(unused, unused, parameters, Path.of("."));
        try (ReadyWork ready = work.open(context)) {
            ready.prepare();
            ready.run();
            return ready.details();
        }
    }

    @Test
    void eachScenarioHasItsContendersAndBarsOfItsContenders() {
        assertThat(EXPERIMENT.scenarios())
                .extracting("name")
                .containsExactly(
                        "slow-producer", "balanced", "slow-consumer", "blocked-1000", "blocked-10000", "deadlock");
        assertThat(EXPERIMENT.scenarios())
                .extracting(scenario -> scenario.contenders().size())
                .containsExactly(28, 32, 24, 4, 4, 2);
        assertThat(EXPERIMENT.scenarios())
                .allSatisfy(
                        scenario -> assertThat(scenario.bars()).allSatisfy(bar -> scenario.contender(bar.contender())));
    }

    @Test
    void blockedTasksOfAGivenNumberAreMeasuredOnce() {
        var all = new Parameters(
                OptionalLong.of(500),
                Optional.empty(),
                OptionalInt.empty(),
                OptionalInt.empty(),
                Optional.empty(),
                OptionalLong.empty(),
                42,
                false);

        assertThat(TaskExperiment.of(all).scenarios())
                .filteredOn(scenario -> scenario.name().startsWith("blocked-"))
                .extracting("title")
                .containsExactly("500 consumers that block at the same time");
    }

    @Test
    void waitsOfTheReportAreTheSameForEachNumberOfProducers() {
        var waits = TaskExperiment.waits(Parameters.DEFAULT);

        assertThat(waits).extracting(one -> one.get("producers")).containsExactly(1, 2, 10, 1, 2, 1, 2);
        assertThat(waits)
                .filteredOn(one -> "balanced".equals(one.get("name")))
                .extracting(one -> one.get("consumeMillis"))
                .hasSize(2)
                .containsOnly(
                        Pace.BALANCED.scenario(Parameters.DEFAULT, 1).json().get("consumeMillis"));
    }

    @Test
    void roundHasIdealTraceAndOutcomes() throws Exception {
        RoundDetails details = round("balanced", "millrace/unordered", 200);

        assertThat(details.complaints()).isEmpty();
        assertThat(details.figures().get("idealSeconds")).isBetween(0.1, 0.6);
        assertThat(details.outcomes())
                .hasValueSatisfying(outcomes -> assertThat(outcomes.ok()).isEqualTo(200));
        assertThat(details.trace()).isPresent();
    }

    /** The waits of the reference are the usual waits times twelve. */
    @ParameterizedTest
    @CsvSource({
        "PT1S, 12, 'Balanced, all waits divided by 12'",
        "PT1M, 1, Balanced",
        "PT0.5S, 24, 'Balanced, all waits divided by 24'"
    })
    void durationDividesAllWaitsByOneNumber(Duration duration, int divisor, String title) {
        var parameters = parameters(OptionalLong.empty(), Optional.of(duration));

        assertThat(Pace.BALANCED.title(parameters)).isEqualTo(title);
        assertThat(Pace.BALANCED.scenario(parameters, 1)).isEqualTo(Pace.BALANCED.scenario(42, Pace.TASKS, divisor, 1));
    }

    @ParameterizedTest
    @CsvSource({
        "millrace/task-flow, false",
        "jdk/virtual-threads, false",
        "jdk/cached-thread-pool, true",
        "fs2/io-blocking, true"
    })
    void blockedTasksNeedAPlatformThreadEachOrNone(String contender, boolean needsThreads) throws Exception {
        RoundDetails details = round("blocked-1000", contender, 300);

        assertThat(details.complaints()).isEmpty();
        assertThat(details.figures().getOrDefault("maxThreads", 0.0) > 300).isEqualTo(needsThreads);
        assertThat(details.figures())
                .containsKeys("threads at 30", "seconds at 300", "peakHeapMegabytes", "allBlockedSeconds");
    }

    @Test
    void poolThatDropsATaskHasAComplaint() throws Exception {
        BlockedTasks.PoolFactory dropping = tasks -> new BlockingPool() {
            @Override
            public void start(Runnable task) {
                Thread.startVirtualThread(() -> {
                    Thread.currentThread().interrupt(); // ends the wait of the task
                    task.run();
                });
            }

            @Override
            public void close() {}
        };
        var ready = new BlockedTasks(dropping, 10);

        ready.run();

        assertThat(ready.details().complaints())
                .containsExactly("tasks that blocked until the end: expected=10, counted=0");
    }

    @ParameterizedTest
    @CsvSource({
        "jdk/two-platform-threads, 'produced=0 of 100, consumed=0, thread-1 WAITING in ArrayBlockingQueue.take'",
        "jdk/virtual-threads, no deadlock: consumed=100"
    })
    void deadlockIsFoundOnTwoThreadsOnly(String contender, String remark) throws Exception {
        RoundDetails details = round("deadlock", contender, 100);

        assertThat(details.complaints()).isEmpty();
        assertThat(details.remark().orElseThrow()).contains(remark);
    }

    @Test
    void incompleteBatchIsRefused() {
        assertThatThrownBy(() -> new TaskScenario("test", 1, 1, 2, Duration.ZERO, List.of(Duration.ZERO)))
                .hasMessageContaining("batch=2, tasks=1");
    }
}
