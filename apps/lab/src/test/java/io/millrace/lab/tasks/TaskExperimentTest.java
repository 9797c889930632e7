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
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(NoThreadLeft.class)
class TaskExperimentTest {

    private static final Experiment EXPERIMENT = TaskExperiment.of(Parameters.DEFAULT);

    private static WorkContext context(Parameters parameters) {
        Target unused = Target.of("127.0.0.1", 1);
        return new WorkContext(unused, unused, parameters, Path.of("."));
    }

    private static Parameters tasks(long size) {
        Parameters quick = Parameters.QUICK;
        return new Parameters(
                OptionalLong.of(size),
                Optional.empty(),
                quick.payloadBytes(),
                quick.keys(),
                quick.mix(),
                quick.rate(),
                quick.seed(),
                true);
    }

    private static RoundDetails round(String scenario, String contender, long size) throws Exception {
        var work = ((JvmContender) EXPERIMENT.scenario(scenario).contender(contender)).work();
        try (ReadyWork ready = work.open(context(tasks(size)))) {
            ready.prepare();
            ready.run();
            return ready.details();
        }
    }

    @Test
    void everyContenderHasANoteAndADocumentationPage() {
        assertThat(EXPERIMENT.scenarios())
                .extracting("name")
                .containsExactly(
                        "slow-producer", "balanced", "slow-consumer", "blocked-1000", "blocked-10000", "deadlock");
        assertThat(EXPERIMENT.scenarios()).allSatisfy(scenario -> {
            assertThat(scenario.server().isNeeded()).isFalse();
            assertThat(scenario.contenders()).doesNotHaveDuplicates().allSatisfy(contender -> {
                assertThat(contender.description().note()).isNotBlank();
                assertThat(contender.description().documentation()).isNotBlank();
            });
            assertThat(scenario.bars()).allSatisfy(bar -> scenario.contender(bar.contender()));
        });
    }

    @Test
    void waitsOfTheReportGiveTheSameIdealForEachNumberOfProducers() throws Exception {
        var waits = TaskExperiment.waits(Parameters.DEFAULT);

        assertThat(waits).hasSize(9);
        assertThat(waits)
                .allSatisfy(one -> assertThat(one.consumeMillis()).hasSize(Pace.TASKS))
                .filteredOn(one -> one.name().equals("balanced"))
                .extracting(TaskScenario.Waits::consumeMillis)
                .containsOnly(waits.get(3).consumeMillis());
    }

    @Test
    void roundHasIdealTraceAndOutcomes() throws Exception {
        RoundDetails details = round("slow-consumer", "millrace/unordered", 200);

        assertThat(details.complaints()).isEmpty();
        assertThat(details.figures().get("idealSeconds")).isBetween(0.05, 0.3);
        assertThat(details.outcomes())
                .hasValueSatisfying(outcomes -> assertThat(outcomes.ok()).isEqualTo(200));
        assertThat(details.trace()).isPresent();
    }

    @Test
    void quickRunDividesTheWaitsByTen() {
        TaskScenario full = Pace.BALANCED.scenario(Parameters.DEFAULT, 1);
        TaskScenario quick = Pace.BALANCED.scenario(Parameters.QUICK, 1);

        assertThat(IntStream.range(0, Pace.TASKS))
                .allSatisfy(task -> assertThat(quick.consume().get(task).multipliedBy(10))
                        .isEqualTo(full.consume().get(task)));
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

        Map<String, Double> figures = details.figures();
        assertThat(details.complaints()).isEmpty();
        assertThat(figures.getOrDefault("maxThreads", 0.0) > 300).isEqualTo(needsThreads);
        assertThat(figures).containsKeys("threads at 30", "seconds at 300", "peakHeapMegabytes", "allBlockedSeconds");
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

        try (ReadyWork ready = new BlockedTasks(dropping, 10).open(context(tasks(10)))) {
            ready.run();

            assertThat(ready.details().complaints())
                    .containsExactly("tasks that blocked until the end: expected=10, counted=0");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdk/two-platform-threads", "jdk/virtual-threads"})
    void deadlockIsFoundOnTwoThreadsOnly(String contender) throws Exception {
        RoundDetails details = round("deadlock", contender, 100);

        assertThat(details.complaints()).isEmpty();
        assertThat(details.remark().orElseThrow())
                .contains(
                        contender.contains("virtual")
                                ? "no deadlock: consumed=100"
                                : "produced=0 of 100, consumed=0, thread-1 WAITING in ArrayBlockingQueue.take");
    }

    @Test
    void incompleteBatchIsRefused() {
        assertThatThrownBy(() -> new TaskScenario("test", 1, 1, 2, Duration.ZERO, List.of(Duration.ZERO)))
                .hasMessageContaining("batch=2, tasks=1");
    }
}
