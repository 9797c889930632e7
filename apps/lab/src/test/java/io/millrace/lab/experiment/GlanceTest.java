// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.bitmaps.BitmapAnalytics;
import io.millrace.lab.run.Contender;
import io.millrace.lab.run.Experiment;
import io.millrace.lab.run.Workload;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a quick look at everything leaves out. */
class GlanceTest {

    static Stream<Experiment> shortened() {
        return Stream.of(
                new AsynchronousThroughput(),
                new PipelinesAndCalls(),
                new TaskProcessing(),
                new CacheAside(),
                new BitmapAnalytics(),
                new MemoryOfPairs());
    }

    private static List<String> labels(Experiment experiment) {
        return experiment.workloads().stream()
                .flatMap(
                        workload -> workload.contenders().stream().map(one -> workload.variant(one) + " " + one.name()))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("shortened")
    void aGlanceHasEveryWorkloadAndSomeOfItsContenders(Experiment experiment) {
        var glance = experiment.atAGlance();

        assertThat(glance.workloads().stream().map(Workload::name))
                .containsExactlyElementsOf(
                        experiment.workloads().stream().map(Workload::name).toList());
        assertThat(glance.workloads())
                .allSatisfy(workload -> assertThat(workload.contenders()).isNotEmpty());
        assertThat(labels(glance)).hasSizeLessThan(labels(experiment).size());
        assertThat(labels(experiment)).containsAll(labels(glance));
    }

    @Test
    void aGlanceAtTasksKeepsTheSeedAndHasTheFastestOfEachScenario() {
        var glance = new TaskProcessing().withSeed(3).atAGlance();

        assertThat(glance.workloads().stream().filter(WaitingTasks.class::isInstance))
                .hasSize(3)
                .allSatisfy(workload -> {
                    assertThat(((WaitingTasks) workload).seed()).isEqualTo(3);
                    assertThat(workload.contenders().stream().map(Contender::variant))
                            .contains("unordered");
                });
    }
}
