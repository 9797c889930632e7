// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testkit.NoThreadLeft;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.SoftAssertions;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@ExtendWith(NoThreadLeft.class)
@KeepsJvms
class LabTest {

    private static final List<String> REFERENCE = List.of(
            "one-by-one",
            "threads-10-pool-8-kept",
            "threads-100-pool-8-kept",
            "threads-100-pool-8-returned",
            "threads-100-pool-100-returned",
            "pool-100-pipelined",
            "queue-10-pipelined");

    @TempDir
    private Path folder;

    @Test
    void theListNamesEveryExperimentAndWhoTakesPart() {
        var lab = LabRun.of("list");

        assertThat(lab.exit()).isZero();
        assertThat(lab.err()).isEmpty();
        assertThat(lab.out().lines().filter(line -> !line.startsWith(" ")))
                .extracting(line -> line.split("  ", 2)[0])
                .startsWith("e1", "e2", "e3", "e4", "e5", "e6", "e7", "e8");
        assertThat(lab.out().lines())
                .anyMatch(line -> line.startsWith("    e1: jedis, lettuce, redisson, glide, spring, vertx, ")
                        && whole(line, "millrace"))
                .anyMatch(line -> line.startsWith("    e2: ") && whole(line, "lettuce") && whole(line, "millrace"))
                .anyMatch(line -> line.startsWith("    e3-hash: ") && whole(line, "jedis") && whole(line, "millrace"))
                .anyMatch(line -> line.startsWith("    balanced: ") && whole(line, "fs2") && whole(line, "jdk"))
                .contains("    deadlock: jdk", "    e8-in-flight: millrace");
    }

    private static boolean whole(String line, String contender) {
        return List.of(line.substring(line.indexOf(':') + 1).strip().split(", "))
                .contains(contender);
    }

    @Test
    void theSevenPatternsComeInTheirOrderAndTheJsonStandsAlone() {
        var lab = LabRun.of("run", "e1", "--size", "200", "--rounds", "1", "--contenders", "jedis,millrace", "--json");

        assertThat(lab.exit()).as(lab.err()).isZero();
        assertThat(lab.json().propertyNames()).containsExactly("environment", "results", "missing");
        assertThat(variants(lab.results("jedis"))).startsWith(REFERENCE.toArray(String[]::new));
        assertThat(variants(lab.results("millrace")))
                .startsWith(REFERENCE.toArray(String[]::new))
                .contains("callers-100", "pipeline-fused", "bulk-writer", "bulk-writer-unfused");
        assertThat(lab.results()).allSatisfy(result -> isComplete(result, 200));
        assertThat(lab.results("jedis").getFirst().path("factor").doubleValue()).isEqualTo(1.0);
        assertThat(lab.results("millrace").getFirst().path("factor").doubleValue())
                .isEqualTo(1.0);
        assertThat(lab.json().path("environment").path("server").stringValue()).isNotEmpty();
        assertThat(lab.json().path("environment").path("command").stringValue())
                .startsWith("millrace lab run e1 --size 200");
    }

    private static List<String> variants(List<JsonNode> results) {
        return results.stream()
                .map(result -> result.path("variant").stringValue())
                .toList();
    }

    private static void isComplete(JsonNode result, long operations) {
        var soft = new SoftAssertions();
        soft.assertThat(result.path("experiment").stringValue()).isEqualTo("e1");
        soft.assertThat(result.path("rttMillis").doubleValue()).isZero();
        soft.assertThat(result.path("operations").longValue()).isEqualTo(operations);
        soft.assertThat(result.path("wallSeconds")).hasSize(1);
        soft.assertThat(result.path("medianWallSeconds").doubleValue()).isPositive();
        soft.assertThat(result.path("operationsPerSecond").longValue()).isPositive();
        soft.assertThat(result.path("userSeconds").isNumber()).isTrue();
        soft.assertThat(result.path("systemSeconds").isNumber()).isTrue();
        soft.assertThat(result.path("cpuPercent").isNumber()).isTrue();
        soft.assertThat(result.path("cpuMicrosPerOperation").isNumber()).isTrue();
        soft.assertThat(result.path("verified").booleanValue(false)).isTrue();
        soft.assertThat(result.path("failure").isNull()).isTrue();
        soft.assertThat(result.path("outcomes")).isEqualTo(JsonMapper.shared().readTree("""
                        {"ok": %s, "error": 0, "timedOut": 0, "refused": 0, "lost": 0}""".formatted(operations)));
        soft.assertThat(result.path("factor").doubleValue()).isPositive();
        soft.assertThat(result.path("note").stringValue()).isNotEmpty();
        soft.assertAll();
    }

    @Test
    void theRecordThePageAndTheReportAreWrittenAndThePageCanBeMadeAgain() throws Exception {
        var report = folder.resolve("report.json");
        var html = folder.resolve("page.html");
        var record = folder.resolve("runs/today");
        var lab = LabRun.of(
                "run",
                "broken",
                "--rounds",
                "2",
                "--contenders",
                "good",
                "--report",
                report.toString(),
                "--html",
                html.toString(),
                "--out",
                record.toString());

        var again = LabRun.of(
                "report",
                report.toString(),
                "--html",
                folder.resolve("again.html").toString());

        assertThat(lab.exit()).as(lab.err()).isZero();
        assertThat(again).isEqualTo(new LabRun(0, "", ""));
        assertThat(files(record))
                .containsExactly(
                        "command.txt", "environment.txt", "report.html", "report.json", "samples.csv", "table.txt");
        assertThat(record.resolve("command.txt")).content().startsWith("millrace lab run broken --rounds 2 ");
        assertThat(record.resolve("environment.txt")).content().contains("redis-server: ", "jedis: 8.", "cores: ");
        assertThat(record.resolve("samples.csv")).content().hasLineCount(1 + 2 * 3);
        assertThat(record.resolve("table.txt")).content().isEqualTo(lab.out().substring(1));
        assertThat(record.resolve("report.json")).hasSameTextualContentAs(report);
        assertThat(html).content().contains("<html", "\"experiment\" : \"broken\"");
        assertThat(record.resolve("report.html")).hasSameTextualContentAs(html);
        assertThat(folder.resolve("again.html")).hasSameTextualContentAs(html);
    }

    private static List<String> files(Path folder) throws Exception {
        try (var files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void aSweepOfRoundTripsRunsOverEachOfThem() {
        var lab = LabRun.of(
                "run", "e1", "--rtt", "0,2ms", "--size", "200", "--rounds", "1", "--contenders", "jedis", "--json");

        assertThat(lab.exit()).as(lab.err()).isZero();
        var near = new ArrayList<>(lab.results());
        near.removeIf(result -> result.path("rttMillis").doubleValue() != 0);
        var far = new ArrayList<>(lab.results());
        far.removeIf(result -> result.path("rttMillis").doubleValue() != 2);
        assertThat(near.size() + far.size()).isEqualTo(lab.results().size());
        assertThat(variants(far)).isEqualTo(variants(near)).startsWith(REFERENCE.toArray(String[]::new));
        assertThat(lab.results())
                .allSatisfy(result ->
                        assertThat(result.path("verified").booleanValue(false)).isTrue());
        assertThat(far.getFirst().path("operations").longValue()).isEqualTo(20);
        assertThat(far.getFirst().path("medianWallSeconds").doubleValue()).isGreaterThan(20 * 0.0018);
        assertThat(far.getFirst().path("factor").doubleValue()).isEqualTo(1.0);
        assertThat(far.get(REFERENCE.indexOf("pool-100-pipelined"))
                        .path("operations")
                        .longValue())
                .isEqualTo(200);
        assertThat(near.getFirst().path("operations").longValue()).isEqualTo(200);
    }

    @Test
    void theReportSaysWhatTheProxyReallyAdds() {
        var lab = LabRun.of(
                "run", "broken", "--rtt", "2ms", "--size", "10", "--rounds", "1", "--contenders", "good", "--json");

        assertThat(lab.exit()).as(lab.err()).isZero();
        var proxy = lab.json().path("environment").path("proxy");
        assertThat(proxy).hasSize(1);
        assertThat(proxy.path(0).path("rttMillis").doubleValue()).isEqualTo(2.0);
        assertThat(proxy.path(0).path("directMillis").doubleValue()).isPositive();
        assertThat(proxy.path(0).path("addedMillis").doubleValue()).isCloseTo(2.0, Offset.offset(1.5));
        assertThat(lab.err()).contains("the proxy adds ", "2ms were asked for");
    }

    @Test
    void quickIsATenthOfTheSizeAndTwoRounds() {
        var lab = LabRun.of("run", "broken", "--quick", "--size", "500", "--contenders", "good", "--json");

        assertThat(lab.exit()).as(lab.err()).isZero();
        assertThat(lab.results()).hasSize(2).allSatisfy(result -> {
            assertThat(result.path("operations").longValue()).isEqualTo(50);
            assertThat(result.path("wallSeconds")).hasSize(2);
        });
    }
}
