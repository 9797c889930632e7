// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.frameworks;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.experiment.Bar;
import io.millrace.lab.experiment.Contender;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.Scenario;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Checks what the limits of the experiments with frameworks compare. */
class FrameworkExperimentsTest {

    private static final Experiment SPRING = SpringExperiment.of(Parameters.DEFAULT);
    private static final Experiment VERTX = VertxExperiment.of(Parameters.DEFAULT);
    private static final Experiment HTTP = HttpExperiment.of(Parameters.DEFAULT);

    /** The number of rows that a program of the framework loads. */
    private static long rows(Scenario scenario, String contender) {
        var work = (ProgramWork) ((JvmContender) scenario.contender(contender)).work();
        return ((TableLoad) work.settings()).rows().rows();
    }

    private static Bar bar(Scenario scenario, String name) {
        return scenario.bars().stream()
                .filter(bar -> bar.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void everyLoadHasAMillionRowsAndALimitToTheLoaderAlone() {
        for (String name : List.of("hashes", "documents", "hashes-1ms", "documents-1ms")) {
            var scenario = SPRING.scenario(name);

            assertThat(rows(scenario, "millrace/job")).as(name).isEqualTo(1_000_000);
            assertThat(rows(scenario, "spring/execute-pipelined")).as(name).isEqualTo(1_000_000);
            assertThat(bar(scenario, "time, to the loader alone").others())
                    .as(name)
                    .containsExactly("millrace/loader");
        }
    }

    /** The test cannot read the number of rows of Spring Batch. So the test compares with the numbers in docs/benchmarks.md. */
    @Test
    void limitToSpringBatchIsForAJobWithFewerRows() {
        var near = SPRING.scenario("documents");
        var distant = SPRING.scenario("documents-1ms");

        assertThat(bar(near, "time, to Spring Batch").contender()).isEqualTo("millrace/job-small");
        assertThat(rows(near, "millrace/job-small")).isEqualTo(100_000);
        assertThat(rows(distant, bar(distant, "time, to Spring Batch").contender()))
                .isEqualTo(10_000);
    }

    @Test
    void everyBarOfChainsHasALimit() {
        var chains = VERTX.scenarios().stream()
                .filter(scenario -> scenario.name().contains("chain"))
                .toList();

        assertThat(chains)
                .hasSize(6)
                .allSatisfy(scenario -> assertThat(scenario.bars())
                        .as(scenario.name())
                        .isNotEmpty()
                        .allSatisfy(
                                bar -> assertThat(bar.limit()).as(bar.name()).isPresent()));
    }

    @Test
    void limitsOfTheServerAreThoseThatMillracePromises() {
        assertThat(HTTP.scenarios())
                .flatExtracting(scenario -> scenario.bars().stream()
                        .map(bar -> scenario.name() + ": " + bar.name() + ", "
                                + bar.limit().orElseThrow())
                        .toList())
                .containsExactly(
                        "hits: CPU of a request, to the bare controller, at most 1.3",
                        "hits: requests per second, to the application with security, at least 1.8",
                        "hits: requests per second, with the near cache, to liveness, at least 0.8",
                        "one-connection: p50, to liveness and 1.3 GET, at most 1.0",
                        "one-connection-1ms: p50, to liveness and 1.3 GET, at most 1.0",
                        "cold-key: seconds to the last answer, at most 1.5",
                        "cold-key: computations, at most 1.0",
                        "bits: time of a bit, to Populations.store, at most 2.0",
                        "bits: time of a bit, to pipelined SETBIT, at most 0.05",
                        "load: time, to the command line, at most 1.05",
                        "load: heap, MiB, at most 256.0",
                        "start: time, to a start without the cache, at most 0.6");
    }

    /** Spring Boot configures every library that it finds. */
    @Test
    void onlyTheApplicationWithSecurityHasTheJarsOfSecurity() {
        var contenders = HTTP.scenarios().stream()
                .flatMap(scenario -> scenario.contenders().stream())
                .filter(contender -> contender instanceof JvmContender jvm
                        && jvm.classPath().stream().anyMatch(path -> path.text().contains("lib-secured")))
                .map(Contender::label)
                .toList();

        assertThat(contenders).containsExactly("spring/security");
    }
}
