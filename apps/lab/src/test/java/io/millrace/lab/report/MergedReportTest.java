// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Result;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.measure.Environment;
import io.millrace.lab.server.LabException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class MergedReportTest {

    private static final List<String> ALL = List.of("e1", "e2", "e3");

    private static Environment at(String commit) {
        Environment usual = SampleRun.ENVIRONMENT;
        return new Environment(
                usual.date(),
                Optional.of(commit),
                usual.java(),
                usual.cpu(),
                usual.cores(),
                usual.loadAverage(),
                usual.server(),
                usual.versions());
    }

    private static String part(String command, String commit, double rate, String... experiments) {
        List<Experiment> measured = new ArrayList<>();
        List<Result> results = new ArrayList<>();
        for (String name : experiments) {
            Scenario scenario = Scenario.named("s", "Title").build();
            measured.add(new Experiment(name, name, "", List.of(scenario)));
            results.add(SampleRun.result(name, scenario, SampleRun.contender("jedis", ""), rate, rate, rate, rate));
        }
        return Report.json(new MeasuredRun(at(commit), command, false, measured, results, List.of()));
    }

    private static JsonNode merged(String... parts) {
        return JsonMapper.shared().readTree(MergedReport.of(List.of(parts), ALL).json());
    }

    @Test
    void laterPartReplacesTheExperimentAtWhichARunWasInterrupted() {
        JsonNode merged = merged(
                part("millrace lab run --out a", "abc", 100, "e1", "e2"),
                part("millrace lab run e2 e3 --out b", "abc", 200, "e2", "e3"));

        assertThat(merged.path("results")
                        .valueStream()
                        .map(row -> row.path("experiment").asString("") + " "
                                + row.path("operationsPerSecond").asInt()))
                .containsExactly("e1 100", "e2 200", "e3 200");
        assertThat(merged.path("experiments")
                        .valueStream()
                        .map(node -> node.path("name").asString("")))
                .containsExactly("e1", "e2", "e3");
        assertThat(merged.path("environment").path("complete").asBoolean(false)).isTrue();
        assertThat(merged.path("environment").path("parts").size()).isEqualTo(2);
        assertThat(merged.path("environment").path("command").asString(""))
                .isEqualTo("millrace lab run; millrace lab run e2 e3");
    }

    @Test
    void recordWithAMissingExperimentIsNotComplete() {
        JsonNode merged = merged(part("millrace lab run e1 e2 --out a", "abc", 100, "e1", "e2"));

        assertThat(merged.path("environment").path("complete").asBoolean(true)).isFalse();
    }

    @Test
    void recordNamesTheCommitOfEachExperiment() {
        String earlier = part("millrace lab run --out a", "abc", 100, "e1", "e2");

        JsonNode merged = merged(earlier, part("millrace lab run e2 e3 --out b", "def", 200, "e2", "e3"));

        JsonNode environment = merged.path("environment");
        assertThat(environment.path("commit").asString("")).isEqualTo("abc, def");
        assertThat(environment.path("commits").toString()).isEqualTo("{\"abc\":[\"e1\"],\"def\":[\"e2\",\"e3\"]}");
        assertThat(environment
                        .path("parts")
                        .valueStream()
                        .map(part -> part.path("commit").asString("")))
                .containsExactly("abc", "def");
        assertThat(Page.environment(environment)).contains("commit abc for e1 · commit def for e2, e3");
    }

    @Test
    void mergedRecordIsCompletedByNewExperiments() {
        String earlier = MergedReport.of(
                        List.of(
                                part("millrace lab run e1 --out a", "abc", 100, "e1"),
                                part("millrace lab run e2 --out b", "def", 100, "e2")),
                        ALL)
                .json();

        JsonNode merged = merged(earlier, part("millrace lab run e3 --out c", "ghi", 300, "e3"));

        JsonNode environment = merged.path("environment");
        assertThat(environment.path("complete").asBoolean(false)).isTrue();
        assertThat(environment.path("commits").toString())
                .isEqualTo("{\"abc\":[\"e1\"],\"def\":[\"e2\"],\"ghi\":[\"e3\"]}");
        assertThat(environment.path("parts").size()).isEqualTo(3);
        assertThat(environment.path("command").asString(""))
                .isEqualTo("millrace lab run e1; millrace lab run e2; millrace lab run e3");
    }

    @Test
    void partWithChangesIsRefused() {
        assertThatThrownBy(() -> merged(part("millrace lab run --out b", "abc+changes", 100, "e2")))
                .isInstanceOf(LabException.class)
                .hasMessageContaining("need a commit without changes: commit=abc+changes");
    }

    @Test
    void partWithOtherOptionsIsRefused() {
        assertThatThrownBy(() -> merged(part("millrace lab run e1 --quick --out a", "abc", 100, "e1")))
                .isInstanceOf(LabException.class)
                .hasMessageContaining("without options other than --out: command=millrace lab run e1 --quick --out a");
    }
}
