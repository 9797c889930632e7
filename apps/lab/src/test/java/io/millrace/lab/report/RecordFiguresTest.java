// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.lab.server.LabException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

/**
 * Checks that the figures of the documents come from the newest complete record. {@code make record} makes a record and writes
 * the figures. To write the figures without a new record:
 *
 * <pre>{@code
 * ./mvnw -pl apps/lab -am test -Dtest=RecordFiguresTest \
 *     -Dsurefire.failIfNoSpecifiedTests=false -Dmillrace.write=true
 * }</pre>
 */
class RecordFiguresTest {

    private static final Path ROOT = Path.of("../..");

    private final String json = Report.json(SampleRun.complete());

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"README.md", "docs/benchmarks.md", "docs/bitmaps.md", "docs/fusion.md", "docs/packed.md"})
    void figuresOfTheDocumentsAreThoseOfTheNewestCompleteRecord(String name) throws IOException {
        Optional<Path> record = RecordFigures.newestComplete(Path.of("runs"));
        assertThat(record).as("a complete record of a clean commit").isPresent();
        String report = Files.readString(record.orElseThrow());
        Path document = ROOT.resolve(name);
        Path toRecord = document.resolveSibling(".")
                .toRealPath()
                .relativize(record.orElseThrow().resolveSibling(".").toRealPath());
        String renewed = Report.markdown(
                Files.readString(document),
                report,
                toRecord.toString(),
                Files.exists(record.orElseThrow().resolveSibling(Report.MICRO)));
        if (Boolean.getBoolean("millrace.write")) {
            write(document, renewed, report);
        }

        assertThat(Files.readString(document))
                .as(name + " is not that of " + record.get() + ". The head of this test says how to write the figures")
                .isEqualTo(renewed);
        if (name.equals("README.md")
                || name.equals("docs/benchmarks.md")) { // the other documents have limits and sizes
            assertThat(RecordFigures.unmarked(renewed))
                    .as("figures of " + name + " without a marker or an interval. Settings belong into backticks")
                    .isEmpty();
        }
    }

    private static void write(Path document, String renewed, String report) throws IOException {
        Files.writeString(document, renewed);
        Path pictures = Files.createDirectories(ROOT.resolve("docs").resolve(Markdown.PICTURES));
        for (var picture : Report.pictures(report).entrySet()) {
            Files.writeString(pictures.resolve(picture.getKey()), picture.getValue());
        }
    }

    @Test
    void markedPlacesGetFiguresWithIntervals() {
        String document = """
                Calls take <!-- record: figure calls 64-callers millrace/shared p99_µs -->?<!-- end --> µs, at
                <!-- record: ratio calls 64-callers millrace/shared jedis/pool -->?<!-- end --> times the rate,
                with <!-- record: figure calls 64-callers millrace/shared cpu -->?<!-- end --> µs of CPU time.
                <!-- record: picture calls -->old<!-- end -->
                See <!-- record: link --><!-- end -->.
                """;

        assertThat(Report.markdown(document, json, "runs/one", false)).isEqualTo("""
                Calls take <!-- record: figure calls 64-callers millrace/shared p99_µs -->345 (340 to 350)<!-- end --> µs, at
                <!-- record: ratio calls 64-callers millrace/shared jedis/pool -->5.80 (5.68 to 5.92)<!-- end --> times the rate,
                with <!-- record: figure calls 64-callers millrace/shared cpu -->400 (400 to 400)<!-- end --> µs of CPU time.
                <!-- record: picture calls -->
                ![Calls that wait](pictures/calls.svg)
                <!-- end -->
                See <!-- record: link -->[tables](runs/one/table.txt) and [page](runs/one/report.html)<!-- end -->.
                """);
    }

    @Test
    void tableHasTheBestModeOfEachLibrary() {
        String table = Report.markdown("<!-- record: table e4 -->\n<!-- end -->", json, "runs/one", false);

        assertThat(table).isEqualTo("""
                <!-- record: table e4 -->
                | | fs2 | millrace |
                |---|---|---|
                | Slow producer (less is better) | 1.04 (1.02 to 1.06) | 1 |
                <!-- end -->""");
    }

    @Test
    void limitsAndEnvironmentAreLinesOfTheDocument() {
        String document = "<!-- record: environment --><!-- end -->\n<!-- record: limits --><!-- end -->";

        assertThat(Report.markdown(document, json, "", false).lines())
                .contains(
                        "* Redis 7.0.15; jedis 8.0.2, lettuce 7.7.0",
                        "| scenario | contender | figure | value | limit | state |")
                .anyMatch(line ->
                        line.matches("\\| calls 64-callers \\| millrace/shared .*\\| (HELD|MISSED|held|missed).*"));
    }

    @Test
    void figureMayBeTheSecondsOfOneUnit() {
        String document = "<!-- record: figure calls 64-callers millrace/shared seconds -->?<!-- end --> s,"
                + " <!-- record: ratio calls 64-callers millrace/shared jedis/pool cpu -->?<!-- end --> times";

        assertThat(Report.markdown(document, json, "", false))
                .matches(
                        "(?s).*--\\>[\\d.]+ \\([\\d.]+ to [\\d.]+\\)<!-- end --> s,.*--\\>[\\d.]+ \\([^)]+\\)<.* times");
    }

    @Test
    void picturesHaveTheirOwnColoursForBothSchemes() {
        assertThat(Report.pictures(json)).containsOnlyKeys("calls.svg", "e4.svg");
        assertThat(Report.pictures(json).get("calls.svg"))
                .startsWith("<svg xmlns")
                .contains("prefers-color-scheme: dark", "64 callers", "lettuce/shared-connection")
                .doesNotContain("<script");
    }

    /** The sample has three scenarios with a 99th percentile; two of them are steps of a sweep. */
    @Test
    void throughputAgainstLatencyHasOnlyTheStepsOfASweep() {
        var calls = ReadReport.parse(json).experiment("calls").orElseThrow().scenarios();

        assertThat(calls)
                .hasSize(3)
                .allSatisfy(scenario ->
                        assertThat(scenario.rows().getFirst().headings()).contains("p99 µs"));
        assertThat(Charts.latencyLines(calls))
                .hasSize(6)
                .allSatisfy(line -> assertThat(line.points()).hasSize(2));
    }

    @Test
    void markerWithoutAVerifiedRowIsRefused() {
        assertThatThrownBy(() -> Report.markdown(
                        "<!-- record: figure e2 flood@1 millrace/flood -->1<!-- end -->", json, "", false))
                .isInstanceOf(LabException.class)
                .hasMessageContaining("no such verified row: scenario=flood, contender=millrace/flood");
    }

    @Test
    void placeOfAnExperimentThatIsNewerThanTheRecordSaysSo() {
        String document = """
                <!-- record: findings queues -->
                old
                <!-- end -->
                <!-- record: table queues -->
                old
                <!-- end -->
                <!-- record: picture queues -->
                <!-- end -->
                """;

        assertThat(Report.markdown(document, json, "", false)).isEqualTo("""
                <!-- record: findings queues -->
                The record has no figures of `queues`: the experiment is newer than the record.
                <!-- end -->
                <!-- record: table queues -->
                <!-- end -->
                <!-- record: picture queues -->
                <!-- end -->
                """);
    }

    @Test
    void figureOfAnExperimentThatIsNewerThanTheRecordIsRefused() {
        for (String marker : List.of("figure queues empty-jobs millrace", "ratio queues empty-jobs millrace jedis")) {
            assertThatThrownBy(() -> Report.markdown("<!-- record: " + marker + " -->1<!-- end -->", json, "", false))
                    .isInstanceOf(LabException.class)
                    .hasMessageContaining("the record has no such experiment: name=queues");
        }
    }

    @Test
    void tableNamesTheLibraryThatFailedAndTheReason() {
        var root = (ObjectNode) ReadReport.parse(json).json();
        root.path("results")
                .valueStream()
                .filter(row -> row.path("contender").asString("").equals("vertx")
                        && row.path("scenario").asString("").equals("64-callers"))
                .forEach(row -> ((ObjectNode) row)
                        .put("verified", false)
                        .put("failure", "IOException: no files, caused by IOException: error=24"));

        String table = Report.markdown("<!-- record: table calls -->\n<!-- end -->", root.toString(), "", false);

        assertThat(table.lines())
                .filteredOn(line -> line.startsWith("| 64 callers "))
                .singleElement()
                .asString()
                .contains("| failed |");
        assertThat(table).contains("\n\n* “64 callers”: vertx failed: IOException: no files.\n");
    }

    @Test
    void costsWithinAProcessAreLinkedIfTheRecordHasThem() {
        String document = "<!-- record: micro --><!-- end -->";

        assertThat(Report.markdown(document, json, "runs/one", true))
                .contains("[Costs within a process](runs/one/micro.txt)");
        assertThat(Report.markdown(document, json, "runs/one", false)).contains("The record has no costs");
    }

    @Test
    void figureWithoutMarkerOrIntervalIsFound() {
        String document = """
                # Version 1.5 in 3 s
                Millrace is 2.9 times as fast, and takes 5 ms. The limit is `1 s`. Jedis 8.0.2 has 1.2 (1.1 to 1.3) times
                the rate, or <!-- record: ratio a b c d -->3.4<!-- end --> times; 64 callers; 4.5 ms (4.4 to 4.6).
                """;

        assertThat(RecordFigures.unmarked(document))
                .hasSize(2)
                .anySatisfy(text -> assertThat(text).contains("2.9 times"))
                .anySatisfy(text -> assertThat(text).contains("takes 5 ms"));
    }

    @Test
    void newestCompleteRecordOfACleanCommitCounts() throws IOException {
        write("old", "2026-11-20", "abc", true);
        write("newest", "2026-11-23", "abc+changes", true);
        write("partial", "2026-11-22", "abc", false);
        write("right", "2026-11-21", "abc", true);

        assertThat(RecordFigures.newestComplete(folder)).contains(folder.resolve("right/report.json"));
    }

    private void write(String name, String date, String commit, boolean isComplete) throws IOException {
        Files.writeString(Files.createDirectories(folder.resolve(name)).resolve("report.json"), """
                {"environment": {"date": "%s", "commit": "%s", "complete": %s}, "results": []}
                """.formatted(
                        date, commit, isComplete));
    }
}
