// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.CommandCounts;
import io.millrace.client.FusionCounts;
import io.millrace.client.NodeCounts;
import io.millrace.load.LoadReport.Bottleneck;
import io.millrace.load.LoadReport.Details;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.LoadReport.Job;
import io.millrace.load.LoadReport.RowsPerKey;
import io.millrace.load.LoadReport.Server;
import io.millrace.load.LoadReport.Times;
import io.millrace.load.LoadReport.Verified;
import io.millrace.load.target.Repetition;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class LoadReportTest {

    private static final RowCounts ROWS = new RowCounts(1_000_000, 999_998, 2, 0, 0);
    private static final CommandCounts COMMANDS = new CommandCounts(1_000_000, 999_998, 2, 0, 0, 0, 0);
    private static final Job JOB = new Job(
            Job.Kind.LOAD, "shop.csv", "redis://cache:6379 hash customer:{id}", Instant.parse("2026-11-25T20:00:00Z"));
    private static final Times TIMES = new Times(0.5, 0.25, 3.1, 0.000_000_4);

    @Test
    void jsonOfAVerifiedLoadHasEveryMember() {
        LoadReport report = report(
                ROWS,
                4.31,
                Optional.of(new Verified(999_998, 3)),
                Optional.of(new Server("Redis", "7.0.15", "standalone")));

        assertThat(LoadReportJson.of(report, 7))
                .isEqualTo("{\"rows\":{\"read\":1000000,\"written\":999998,\"rejected\":2,\"skipped\":0,"
                        + "\"unconfirmed\":0},"
                        + "\"ending\":\"completed\",\"exit\":7,\"job\":\"load\",\"source\":\"shop.csv\","
                        + "\"target\":\"redis://cache:6379 hash customer:{id}\",\"started\":\"2026-11-25T20:00:00Z\","
                        + "\"commands\":{\"submitted\":1000000,\"ok\":999998,\"error\":2,\"timedOut\":0,\"refused\":0,"
                        + "\"lost\":0,\"pending\":0},"
                        + "\"fused\":{\"commands\":0,\"fusedBatches\":0},"
                        + "\"seconds\":4.31,\"rowsPerSecond\":232018,\"cpuSeconds\":1.2,\"bytesSent\":77000000,"
                        + "\"peakInFlight\":16384,"
                        + "\"time\":{\"source\":0.5,\"mapping\":0.25,\"window\":3.1,\"socket\":0.0},"
                        + "\"bottleneck\":\"server\","
                        + "\"verified\":{\"checked\":999998,\"mismatched\":3},"
                        + "\"server\":{\"name\":\"Redis\",\"version\":\"7.0.15\",\"mode\":\"standalone\"}}");
    }

    @Test
    void jsonOfADryRunHasNoServerAndNoVerification() {
        String json = LoadReportJson.of(report(ROWS, 4.31, Optional.empty(), Optional.empty()));

        assertThat(json).endsWith("\"bottleneck\":\"server\"}").doesNotContain("verified", "\"server\":");
    }

    @ParameterizedTest
    @EnumSource(Bottleneck.class)
    void bottleneckIsLowerCaseInEveryLocale(Bottleneck bottleneck) {
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.forLanguageTag("tr"));

            String json = LoadReportJson.of(new LoadReport(
                    new Ending.Completed(),
                    JOB,
                    ROWS,
                    COMMANDS,
                    FusionCounts.NONE,
                    1,
                    1,
                    0,
                    0,
                    TIMES,
                    bottleneck,
                    Optional.empty(),
                    Optional.empty(),
                    Details.NONE));

            assertThat(json).containsPattern("\"bottleneck\":\"(source|mapping|server|network)\"");
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void summaryIsTheSameInEveryLocale() {
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.forLanguageTag("ar-EG"));

            String summary =
                    report(ROWS, 4.31, Optional.empty(), Optional.empty()).summary();

            assertThat(summary)
                    .isEqualTo("rows: 1000000, written: 999998, rejected: 2, skipped: 0, unconfirmed: 0, 4.31 s,"
                            + " 232,018 rows/s");
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void loadWithoutRowsReportsZeroRowsPerSecond() {
        LoadReport report = report(new RowCounts(0, 0, 0, 0, 0), 0, Optional.empty(), Optional.empty());

        assertThat(report.summary())
                .isEqualTo("rows: 0, written: 0, rejected: 0, skipped: 0, unconfirmed: 0, 0.00 s, 0 rows/s");
        assertThat(LoadReportJson.of(report)).contains("\"seconds\":0.0,\"rowsPerSecond\":0,");
    }

    @Test
    void inconsistentRowCountsAreRefused() {
        assertThatThrownBy(() -> report(new RowCounts(10, 8, 1, 0, 0), 1, Optional.empty(), Optional.empty()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("row counts are inconsistent");
        assertThatThrownBy(() -> report(new RowCounts(10, 11, -1, 0, 0), 1, Optional.empty(), Optional.empty()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a count is negative");
    }

    @ParameterizedTest
    @ValueSource(doubles = {-0.1, Double.NaN, Double.POSITIVE_INFINITY})
    void invalidDurationIsRefused(double seconds) {
        assertThatThrownBy(() -> report(ROWS, seconds, Optional.empty(), Optional.empty()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("seconds=" + seconds);
    }

    private static LoadReport report(
            RowCounts rows, double seconds, Optional<Verified> verified, Optional<Server> server) {
        return new LoadReport(
                new Ending.Completed(),
                JOB,
                rows,
                COMMANDS,
                FusionCounts.NONE,
                seconds,
                1.2,
                77_000_000,
                16_384,
                TIMES,
                Bottleneck.SERVER,
                verified,
                server,
                Details.NONE);
    }

    @Test
    void jsonOfAJobWithoutAResultHasItsReason() {
        String json = LoadReportJson.of(
                LoadReport.withoutResult(new Ending.Failed("cannot connect"), JOB, new RowCounts(0, 0, 0, 0, 0), 0.5));

        assertThat(json)
                .startsWith("{\"rows\":{\"read\":0,")
                .contains("\"ending\":\"failed\",\"reason\":\"cannot connect\",\"job\":\"load\"")
                .doesNotContain("exit", "rowsPerKey", "unconfirmedRows", "warnings", "evictedKeys");
    }

    @Test
    void jsonOfAClusterHasRedirectsAndNodes() {
        LoadReport single = LoadReport.withoutResult(new Ending.Completed(), JOB, new RowCounts(0, 0, 0, 0, 0), 1);
        LoadReport ofCluster = single.with(
                single.ending(),
                JOB,
                Details.NONE.withNodes(
                        List.of(new NodeCounts("10.0.0.7:7000", new CommandCounts(4, 1, 1, 1, 0, 1, 0), 3))));

        assertThat(LoadReportJson.of(ofCluster))
                .contains("\"redirects\":3,\"nodes\":[{\"node\":\"10.0.0.7:7000\",\"submitted\":7,\"ok\":1,\"error\":1,"
                        + "\"timedOut\":1,\"refused\":0,\"lost\":1,\"pending\":0,\"redirected\":3}],\"fused\"");
        assertThat(LoadReportJson.of(single)).doesNotContain("redirects", "nodes");
    }

    @Test
    void jsonNamesRepeatedKeysUnconfirmedRangesAndWarnings() {
        Details details = new Details(
                Optional.of(new RowsPerKey(3, 2, true)),
                List.of(new RowRange(17, 90, 18, 91, 74, ""), new RowRange(95, 95, 0, 0, 1, "b.jsonl")),
                5,
                List.of("full"),
                Repetition.CHANGES_NOTHING,
                Optional.empty(),
                Optional.empty());
        LoadReport report = new LoadReport(
                new Ending.Completed(),
                JOB,
                ROWS,
                COMMANDS,
                FusionCounts.NONE,
                1,
                1,
                0,
                0,
                TIMES,
                Bottleneck.SERVER,
                Optional.empty(),
                Optional.empty(),
                details);

        assertThat(LoadReportJson.of(report))
                .endsWith(
                        "\"rowsPerKey\":{\"rows\":3,\"keys\":2,\"exact\":true},"
                                + "\"unconfirmedRows\":[{\"firstRow\":17,\"lastRow\":90,\"firstLine\":18,\"lastLine\":91,"
                                + "\"unconfirmed\":74},{\"firstRow\":95,\"lastRow\":95,\"unconfirmed\":1,\"file\":\"b.jsonl\"}],\"evictedKeys\":5,\"warnings\":[\"full\"]}");
    }
}
