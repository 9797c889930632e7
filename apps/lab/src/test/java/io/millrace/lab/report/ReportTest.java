// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.lab.server.LabException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

class ReportTest {

    private static final Path RUNS = Path.of("runs");

    /** The fields that every row must have, in their order. */
    private static final List<String> FIELDS = List.of(
            "experiment",
            "variant",
            "contender",
            "rttMillis",
            "operations",
            "wallSeconds",
            "medianWallSeconds",
            "operationsPerSecond",
            "userSeconds",
            "systemSeconds",
            "cpuMicrosPerOperation",
            "verified",
            "outcomes",
            "idealSeconds",
            "unfair",
            "note");

    private final String json = Report.json(SampleRun.complete());
    private final JsonNode root = JsonMapper.shared().readTree(json);

    private JsonNode row(String variant, String contender) {
        return root.path("results")
                .valueStream()
                .filter(row -> row.path("variant").asString("").equals(variant)
                        && row.path("contender").asString("").equals(contender))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> names(JsonNode object) {
        return object.propertyStream().map(Map.Entry::getKey).toList();
    }

    @Test
    void everyRowBeginsWithTheDocumentedFields() {
        for (JsonNode row : root.path("results")) {
            assertThat(names(row)).startsWith(FIELDS.toArray(String[]::new));
        }
        assertThat(names(root)).startsWith("environment", "results");
        assertThat(names(root.path("environment")))
                .contains("date", "commit", "java", "cpu", "cores", "server", "versions", "loadAverage");
    }

    @Test
    void rowHasTheFiguresOfOneUnit() {
        JsonNode row = row("64-callers/pool", "jedis");

        assertThat(row.path("operations").asLong()).isEqualTo(1_000);
        assertThat(row.path("wallSeconds").size()).isEqualTo(6);
        assertThat(row.path("medianWallSeconds").asDouble()).isEqualTo(0.02);
        assertThat(row.path("operationsPerSecond").asLong()).isEqualTo(50_000);
        assertThat(row.path("userSeconds").asDouble()).isEqualTo(0.3);
        assertThat(row.path("cpuMicrosPerOperation").asDouble()).isEqualTo(400);
        assertThat(row.path("serverMicrosPerOperation").asDouble()).isEqualTo(300);
        assertThat(row.path("idealSeconds").isNull()).isTrue();
        assertThat(row.path("samples").size()).isEqualTo(7);
        assertThat(row.path("samples").get(0).path("round").asInt()).isZero();
        assertThat(row.path("samples").get(0).path("collections").asLong()).isEqualTo(2);
        assertThat(row.path("figures").path("p99 µs").path("median").asDouble()).isEqualTo(2_000);
    }

    @Test
    void severalUnitsOfARoundAreDivided() {
        JsonNode row = row("flood/flood", "glide");

        assertThat(row.path("operations").asLong()).isEqualTo(500);
        assertThat(row.path("medianWallSeconds").asDouble()).isEqualTo(0.025);
        assertThat(row.path("operationsPerSecond").asLong()).isEqualTo(20_000);
        assertThat(row.path("rttMillis").asDouble()).isEqualTo(1);
        assertThat(row.path("outcomes").toString())
                .isEqualTo("{\"ok\":900,\"error\":40,\"timedOut\":30,\"refused\":20,\"lost\":10}");
        assertThat(row.path("seconds").get(9).toString())
                .isEqualTo("{\"second\":10,\"issued\":300000,\"ok\":200000,\"error\":0,\"timedOut\":10000,"
                        + "\"refused\":0,\"lost\":0,\"pending\":500000,\"serverCommands\":210000}");
    }

    @Test
    void failureTraceAndWaitsAreWritten() {
        assertThat(row("flood/flood", "millrace").path("verified").asBoolean()).isFalse();
        assertThat(row("flood/flood", "millrace").path("failure").asString("")).contains("the worker ended");
        assertThat(row("flood/flood", "millrace").path("measure").isNull()).isTrue();
        assertThat(row("slow-producer/batch", "fs2")
                        .path("trace")
                        .path("consumedMillis")
                        .size())
                .isEqualTo(100);
        assertThat(row("slow-producer/batch", "fs2").path("idealSeconds").asDouble())
                .isEqualTo(9.5);
        assertThat(root.path("scenarios").get(0).path("consumeMillis").toString())
                .isEqualTo("[10.0,20.0]");
        assertThat(root.path("environment")
                        .path("proxy")
                        .get(0)
                        .path("addedMillis")
                        .asDouble())
                .isEqualTo(1.02);
        assertThat(root.path("bars").get(0).path("state").asString("")).isEqualTo("missed");
        assertThat(root.path("bars").get(0).path("against").asString("")).isEqualTo("lettuce/shared-connection");
    }

    @Test
    void limitsOfOlderReportsHaveAState() {
        assertThat(Tables.bar(root.path("bars").get(0))).contains("missed");
        assertThat(Tables.bar(JsonMapper.shared().readTree("{\"standing\": \"held\"}")))
                .contains("held");
    }

    @Test
    void loadsOfAllPartsAreShown() {
        String parts = """
                {"environment": {"loadAverage": 0.5, "parts": [{"loadAverage": 0.5}, {"loadAverage": 6.25}, {}]},
                 "results": []}
                """;

        assertThat(Report.text(parts)).contains("load average 0.5 to 6.25 at the starts of the parts");
        assertThat(Report.text(json)).contains("load average 0.25 at the start ·");
    }

    @Test
    void pageSaysWhyACellOfTheOverviewIsEmpty() {
        var failed = (ObjectNode) root.deepCopy();
        failed.path("results")
                .valueStream()
                .filter(row -> row.path("contender").asString("").equals("vertx"))
                .filter(row -> row.path("scenario").asString("").equals("64-callers"))
                .forEach(row -> ((ObjectNode) row).put("verified", false));

        assertThat(Report.html(failed.toString())).contains("<td class=\"muted\">failed</td>");
        assertThat(Report.html(json)).doesNotContain("<td class=\"muted\">failed</td>");
    }

    @Test
    void findingsNameTheLeaderTheTiesAndTheLosses() {
        assertThat(root.path("findings").valueStream().map(node -> node.asString("")))
                .containsExactly(
                        "millrace leads in 3 of 4 scenarios. The largest lead is in “64 callers”"
                                + " (commands per second): 2.90 (2.84 to 2.96) times as good as lettuce.",
                        "In 1 scenario no difference between the first two libraries is proved:"
                                + " “Half of the load” (millrace and vertx).",
                        "In no scenario is another library proved to be ahead of Millrace.");
    }

    @Test
    void terminalShowsTiesUnfairSettingsAndMissedLimits() {
        String text = Report.text(json);

        assertThat(text)
                .contains("≈ ")
                .contains("raw-socket/with-a-long-name-of-a-mode is not compared: no errors")
                .contains("millrace/flood FAILED: the worker ended")
                .contains("missed")
                .contains("missing: calls, redis-benchmark: not on the PATH")
                .contains("glide/flood, seconds of the last round");
    }

    @Test
    void recordHasEverySampleOfEveryRound() {
        List<Integer> expected = SampleRun.complete().results().stream()
                .map(result -> result.samples().size())
                .toList();

        assertThat(root.path("results")
                        .valueStream()
                        .map(row -> row.path("samples").size()))
                .containsExactlyElementsOf(expected);
        assertThat(Report.record(json)).containsOnlyKeys("report.json", "table.txt", "report.html");
    }

    @Test
    void unknownValuesAreShownAsUnknown() {
        String text = Report.text("{\"environment\": {\"commit\": null, \"cpu\": null}, \"results\": []}");

        assertThat(text).contains("commit unknown").doesNotContain("null");
    }

    @Test
    void recordsOfEarlierVersionsAreShownAndCompared() throws IOException {
        try (Stream<Path> files = Files.walk(RUNS)) {
            for (Path file : files.filter(path -> path.endsWith("report.json")).toList()) {
                String record = Files.readString(file);

                assertThat(Report.text(record)).as(file.toString()).contains("Findings");
                assertThat(Report.html(record)).as(file.toString()).contains("<h2 id=\"overview\"");
                assertThat(Comparison.of(record, record).text())
                        .as(file.toString())
                        .contains("better in 0, worse in 0");
            }
        }
    }

    @Test
    void textThatIsNoReportIsRefused() {
        assertThatThrownBy(() -> Report.html("[1]"))
                .isInstanceOf(LabException.class)
                .hasMessageContaining("type=ARRAY")
                .hasMessageContaining("--report");
        assertThatThrownBy(() -> Report.text("{\"results\": [\n,"))
                .isInstanceOf(LabException.class)
                .hasMessageContaining("line=2");
    }
}
