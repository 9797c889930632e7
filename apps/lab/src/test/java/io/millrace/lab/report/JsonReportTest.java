// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.Workloads;
import io.millrace.lab.run.Measured;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Run;
import io.millrace.lab.run.Sample;
import io.millrace.lab.run.TestRuns;
import io.millrace.lab.run.TestRuns.PaperContender;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class JsonReportTest {

    private static final Environment ENVIRONMENT = new Environment(
            Instant.parse("2026-11-21T20:00:00Z"),
            Optional.empty(),
            "a JVM 25",
            Optional.of("a processor"),
            OptionalDouble.of(0.25),
            2,
            "7.0.15",
            Map.of("jedis", "8.0.2"));

    private static JsonNode report(Run... runs) {
        return JsonMapper.shared().readTree(JsonReport.of(ENVIRONMENT, Findings.of("a command", List.of(runs))));
    }

    private static Run run(Optional<String> unfair, Measured measured, Outcomes outcomes) {
        return new Run(
                Workloads.named("set"),
                new PaperContender("peer", "warm", unfair),
                Duration.ZERO,
                1_000_000,
                List.of(new Sample(1, measured, OptionalDouble.of(1), outcomes, List.of())),
                Optional.empty());
    }

    @Test
    void theObjectHasExactlyTheFieldsOfTheLab() {
        var measured = Measured.of(2.0, 0.5, OptionalDouble.of(0.125), Optional.empty(), Map.of());
        var report = report(run(Optional.of("it was given twice the memory"), measured, new Outcomes(9, 1, 2, 3, 4)));

        assertThat(report).isEqualTo(JsonMapper.shared().readTree("""
                { "environment": {"date": "2026-11-21T20:00:00Z", "commit": null, "java": "a JVM 25", "cpu": "a processor",
                                  "cores": 2, "server": "7.0.15", "versions": {"jedis": "8.0.2"},
                                  "command": "a command", "proxy": []},
                  "results": [ {"experiment": "set", "variant": "warm", "contender": "peer", "rttMillis": 0.0,
                                "operations": 1000000, "wallSeconds": [2.0], "medianWallSeconds": 2.0,
                                "operationsPerSecond": 500000, "userSeconds": 0.375, "systemSeconds": 0.125,
                                "cpuMicrosPerOperation": 0.5, "cpuPercent": 25.0, "serverBusy": 0.5,
                                "verified": true, "failure": null,
                                "outcomes": {"ok": 9, "error": 1, "timedOut": 2, "refused": 3, "lost": 4},
                                "idealSeconds": null, "unfair": "it was given twice the memory",
                                "note": "on paper; server busy 0.500 of the wall time", "factor": 1.0} ],
                  "missing": [] }
                """));
    }

    @Test
    void theSystemPartIsNullWhereTheMachineDoesNotTell() {
        var measured = Measured.of(2.0, 0.5, OptionalDouble.empty(), Optional.empty(), Map.of());

        var result = report(run(Optional.empty(), measured, new Outcomes(1, 0, 0, 0, 0)))
                .path("results")
                .path(0);

        assertThat(result.path("systemSeconds").isNull()).isTrue();
        assertThat(result.path("userSeconds").isNull()).isTrue();
        assertThat(result.path("cpuMicrosPerOperation").doubleValue()).isEqualTo(0.5);
        assertThat(result.path("unfair").isNull()).isTrue();
    }

    @Test
    void theWarmUpIsNotAmongTheTimes() {
        var result =
                report(TestRuns.of("peer", "warm", 3, 1, 2)).path("results").path(0);

        assertThat(result.path("wallSeconds")).extracting(JsonNode::doubleValue).containsExactly(3.0, 1.0, 2.0);
        assertThat(result.path("medianWallSeconds").doubleValue()).isEqualTo(2.0);
        assertThat(result.path("operationsPerSecond").longValue()).isEqualTo(500);
    }

    @Test
    void whatAContenderSaysItTookIsAResultOfItsOwn() {
        var results = report(TestRuns.of("millrace", "process", 3, 1, 2)).path("results");

        assertThat(results)
                .extracting(result -> result.path("variant").stringValue())
                .containsExactly("process", "process-own-seconds");
        assertThat(results.path(1).path("wallSeconds"))
                .extracting(JsonNode::doubleValue)
                .containsExactly(2.5, 0.5, 1.5);
    }

    @Test
    void aContenderThatFailedHasNullsAndItsReason() {
        var failed = new Run(
                Workloads.named("set"),
                new PaperContender("peer", "warm", Optional.empty()),
                Duration.ZERO,
                10,
                List.of(),
                Optional.of("it fell over"));

        var result = report(failed).path("results").path(0);

        assertThat(result.path("medianWallSeconds").isNull()).isTrue();
        assertThat(result.path("operationsPerSecond").isNull()).isTrue();
        assertThat(result.path("outcomes").isNull()).isTrue();
        assertThat(result.path("verified").booleanValue(true)).isFalse();
        assertThat(result.path("note").stringValue()).endsWith("FAILED: it fell over");
    }
}
