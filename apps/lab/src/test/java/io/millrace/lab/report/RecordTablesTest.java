// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks that the figures in docs/benchmarks.md match the records. To write them again:
 *
 * <pre>{@code
 * ./mvnw -pl apps/lab -am test -Dtest=RecordTablesTest \
 *     -Dsurefire.failIfNoSpecifiedTests=false -Dmillrace.write=true
 * }</pre>
 */
class RecordTablesTest {

    private static final Path ROOT = Path.of("../..");

    @TempDir
    private Path folder;

    @Test
    void figuresInTheDocumentAreThoseOfTheRecords() throws IOException {
        var document = ROOT.resolve("docs/benchmarks.md");
        var renewed = new RecordTables(ROOT).renew(Files.readString(document));
        if (Boolean.getBoolean("millrace.write")) {
            Files.writeString(document, renewed);
        }

        assertThat(Files.readString(document))
                .as(
                        "docs/benchmarks.md is stale; the comment at the head of this test says how to write the tables again")
                .isEqualTo(renewed);
        assertThat(RecordTables.count(renewed)).isPositive();
    }

    @Test
    void ratesAreMultiplesOfTheBaseAndWhatWasNotVerifiedIsLeftOut() throws IOException {
        Files.writeString(folder.resolve("report.json"), """
                {"results": [
                  {"variant": "a", "contender": "new", "rttMillis": 0.0, "operationsPerSecond": 300, "verified": true},
                  {"variant": "a", "contender": "old", "rttMillis": 0.0, "operationsPerSecond": 200, "verified": true},
                  {"variant": "a", "contender": "far", "rttMillis": 1.0, "operationsPerSecond": 100, "verified": true},
                  {"variant": "b", "contender": "new", "rttMillis": 0.0, "operationsPerSecond": 900, "verified": false},
                  {"variant": "b", "contender": "old", "rttMillis": 0.0, "operationsPerSecond": 200, "verified": true}]}
                """);

        var renewed = new RecordTables(folder).renew("""
                before
                <!-- record: report.json 0 old a b -->
                | stale |
                after
                """);

        assertThat(renewed).isEqualTo("""
                before
                <!-- record: report.json 0 old a b -->
                | | `a` | `b` |
                |---|---|---|
                | old | 1.00 | 1.00 |
                | new | 1.50 |  |
                after
                """);
    }

    @Test
    void factorsAreThoseOfTheRecord() throws IOException {
        Files.writeString(folder.resolve("report.json"), """
                {"results": [
                  {"variant": "a", "contender": "new", "rttMillis": 1.0, "factor": 1.0, "verified": true},
                  {"variant": "b", "contender": "new", "rttMillis": 1.0, "factor": 907.4, "verified": true}]}
                """);

        assertThat(new RecordTables(folder).renew("<!-- record: report.json 1 factor a b -->\n"))
                .isEqualTo("""
                        <!-- record: report.json 1 factor a b -->
                        | | `a` | `b` |
                        |---|---|---|
                        | new | 1.00 | 907 |
                        """);
    }

    @Test
    void timesAreMultiplesOfTheIdealOrNanosecondsPerOperation() throws IOException {
        Files.writeString(folder.resolve("report.json"), """
                {"results": [
                  {"variant": "a", "contender": "new", "rttMillis": 0.0, "operations": 1000, "medianWallSeconds": 0.5,
                   "idealSeconds": 0.4, "verified": true},
                  {"variant": "b", "contender": "new", "rttMillis": 0.0, "operations": 1000000, "medianWallSeconds": 6.62,
                   "verified": true}]}
                """);

        assertThat(new RecordTables(folder)
                        .renew("<!-- record: report.json 0 ideal a -->\n<!-- record: report.json 0 nanos b -->\n"))
                .isEqualTo("""
                        <!-- record: report.json 0 ideal a -->
                        | | `a` |
                        |---|---|
                        | new | 1.25 |
                        <!-- record: report.json 0 nanos b -->
                        | | `b` |
                        |---|---|
                        | new | 6,620 |
                        """);
    }
}
