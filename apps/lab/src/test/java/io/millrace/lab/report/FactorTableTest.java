// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.experiment.Result;
import io.millrace.lab.experiment.Scenario;
import java.util.List;
import org.junit.jupiter.api.Test;

class FactorTableTest {

    private static FactorTable table(Result... results) {
        var run = new MeasuredRun(SampleRun.ENVIRONMENT, "lab run", false, List.of(), List.of(results), List.of());
        return FactorTable.of(ReadReport.parse(Report.json(run)).scenarios());
    }

    private static Result result(Scenario scenario, String library, double rate) {
        return SampleRun.result("e", scenario, SampleRun.contender(library, ""), rate, rate, rate, rate);
    }

    @Test
    void eachLibraryIsDividedByItselfInTheBase() {
        Scenario base = Scenario.named("one", "One by one").build();
        Scenario pipeline =
                Scenario.named("pipeline", "Pipeline").relativeTo("one").build();

        FactorTable table = table(
                result(base, "jedis", 100),
                result(base, "millrace", 50),
                result(pipeline, "jedis", 2_000),
                result(pipeline, "millrace", 2_500),
                result(pipeline, "vertx", 10));

        assertThat(table.headings()).containsExactly("", "jedis", "millrace", "vertx");
        assertThat(table.rows())
                .containsExactly(List.of("Pipeline / One by one", "20 (20 to 20)", "50 (50 to 50)", ""));
    }

    @Test
    void scenariosWithoutABaseHaveNoFactors() {
        assertThat(table(result(Scenario.named("one", "One").build(), "jedis", 100))
                        .isEmpty())
                .isTrue();
    }
}
