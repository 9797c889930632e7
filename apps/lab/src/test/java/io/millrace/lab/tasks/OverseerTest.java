// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.run.Step;
import io.millrace.lab.tasks.jdk.JdkApproaches;
import io.millrace.lab.tasks.jdk.JdkTasks;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@ExtendWith(NoThreadLeft.class)
class OverseerTest {

    /** 5 batches of 4 tasks, of which 4 may be consumed at once. */
    private static final Scenario SCENARIO =
            new Scenario("a test's", 1, 4, 4, Duration.ofMillis(4), Collections.nCopies(20, Duration.ofMillis(6)));

    private static List<String> complaints(Approach approach) throws Exception {
        return complaints(SCENARIO, approach);
    }

    private static List<String> complaints(Scenario scenario, Approach approach) throws Exception {
        var overseer = new Overseer(scenario);
        approach.run(scenario, overseer);
        return overseer.complaints();
    }

    /** An observer that is not told of everything, or of more. */
    private record Filtered(Observer observer, IntUnaryOperator timesConsumed) implements Observer {

        @Override
        public void produced(int batch) {
            observer.produced(batch);
        }

        @Override
        public void consumed(int task) {
            IntStream.range(0, timesConsumed.applyAsInt(task)).forEach(time -> observer.consumed(task));
        }
    }

    @Test
    void aTaskThatIsLostIsMissed() throws Exception {
        var complaints = complaints((scenario, observer) ->
                JdkApproaches.blockingQueue(scenario, new Filtered(observer, task -> task == 7 || task == 9 ? 0 : 1)));

        assertThat(complaints).containsExactly("tasks consumed: expected=20, never=2 (the first: 7), more than once=0");
    }

    @Test
    void aTaskThatIsDoneTwiceIsCounted() throws Exception {
        var complaints = complaints((scenario, observer) ->
                JdkApproaches.blockingQueue(scenario, new Filtered(observer, task -> task == 7 ? 3 : 1)));

        assertThat(complaints).containsExactly("tasks consumed: expected=20, never=0, more than once=2");
    }

    @Test
    void anApproachThatReturnsBeforeItsConsumersAreDoneHasLostTheirTasks() throws Exception {
        var late = new ArrayList<Thread>();
        var complaints = complaints((scenario, observer) -> {
            Thread.sleep(scenario.produce());
            observer.produced(0);
            late.add(Thread.startVirtualThread(() -> observer.consumed(0)));
        });

        assertThat(complaints)
                .hasSize(2)
                .first()
                .asString()
                .isEqualTo("batches produced: expected=5, never=4 (the first: 1), more than once=0");
        late.getFirst().join();
    }

    @ParameterizedTest
    @EnumSource(
            value = Plan.class,
            names = {"BATCH", "BLOCKING_QUEUE", "NONBLOCKING_QUEUE", "TWO_PRODUCERS_QUEUE", "TEN_PRODUCERS"})
    void theJdksApproachesDoItRight(Plan plan) throws Exception {
        var jdk = Objects.requireNonNull(new JdkTasks().approaches().get(plan));

        var complaints = complaints(Pace.SLOW_PRODUCER.scenario(Pace.DEFAULT_SEED, 20, plan.producers()), jdk.way());

        assertThat(complaints).isEmpty();
    }

    @Test
    void theJdkHasThoseOfThePlansThatNeedNoStreams() {
        assertThat(new JdkTasks().approaches())
                .containsOnlyKeys(
                        Plan.BATCH,
                        Plan.BLOCKING_QUEUE,
                        Plan.NONBLOCKING_QUEUE,
                        Plan.TWO_PRODUCERS_QUEUE,
                        Plan.TEN_PRODUCERS);
    }

    @Test
    void stepsAddUpToAllAndTheTraceHasEveryMomentInOrder() throws Exception {
        var overseer = new Overseer(SCENARIO);
        var steps = new ArrayList<Step>();
        JdkApproaches.batchByBatch(SCENARIO, new Observer() {
            @Override
            public void produced(int batch) {
                overseer.produced(batch);
                steps.add(overseer.step());
            }

            @Override
            public void consumed(int task) {
                overseer.consumed(task);
            }
        });
        steps.add(overseer.step());
        var trace = overseer.trace();

        assertThat(steps.stream().mapToInt(Step::batches).sum()).isEqualTo(5);
        assertThat(steps.stream().map(Step::tasks)).containsExactly(0, 4, 4, 4, 4, 4);
        assertThat(trace.producedMillis()).hasSize(5).isSorted();
        assertThat(trace.consumedMillis()).hasSize(20).isSorted();
        assertThat(trace.tasksPerMark()).isEqualTo(1);
        assertThat(trace.letters()).isEqualTo("PCCCCPCCCCPCCCCPCCCCPCCCC");
    }

    @Test
    void theTraceOfAThousandTasksHasAHundredMarks() throws Exception {
        var scenario = Pace.SLOW_PRODUCER.scenario(Pace.DEFAULT_SEED, 10, 1);
        var overseer = new Overseer(scenario);

        JdkApproaches.nonBlockingQueue(scenario, overseer);

        assertThat(overseer.trace().consumedMillis()).hasSize(100);
        assertThat(overseer.trace().tasksPerMark()).isEqualTo(10);
        assertThat(overseer.trace().letters()).hasSize(110).startsWith("P").endsWith("C");
    }

    @Test
    void librariesAreFoundByTheirNamesAndSayHowEachWayIsWritten() {
        var names = TaskLibraries.all().stream().map(TaskLibrary::name).toList();

        assertThat(names).doesNotHaveDuplicates().contains("jdk");
        assertThat(TaskLibraries.all()).allSatisfy(library -> {
            var notes = Stream.concat(
                            library.approaches().values().stream().map(TaskLibrary.Described::note),
                            library.machineries().values().stream().map(TaskLibrary.Described::note))
                    .toList();
            assertThat(notes).isNotEmpty().allSatisfy(note -> assertThat(note).isNotBlank());
        });
    }
}
