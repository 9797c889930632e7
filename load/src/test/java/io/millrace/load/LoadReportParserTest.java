// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.millrace.client.CommandCounts;
import io.millrace.client.FusionCounts;
import io.millrace.client.NodeCounts;
import io.millrace.load.LoadReport.Bottleneck;
import io.millrace.load.LoadReport.Checkpoint;
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
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class LoadReportParserTest {

    private static final Job JOB = new Job(
            Job.Kind.LOAD, "shop \"a\".csv", "redis://cache:6379 hash c:{id}", Instant.parse("2026-11-25T20:00:00Z"));

    static Stream<LoadReport> reports() {
        Details details = new Details(
                Optional.of(new RowsPerKey(10, 4, false)),
                List.of(new RowRange(3, 9, 0, 0, 2, ""), new RowRange(11, 12, 13, 14, 2, "b.csv")),
                7,
                List.of("one", "two"),
                Repetition.ADDS_ROW_AGAIN,
                Optional.of(new ReloadResult(0, 0, 3, Optional.of("a row was rejected"), false)),
                Optional.of(new Checkpoint("night", "night.checkpoint", 0, 12, Checkpoint.State.CAN_RESUME)));
        Details replaced = new Details(
                Optional.empty(),
                List.of(),
                0,
                List.of(),
                Repetition.CHANGES_NOTHING,
                Optional.of(new ReloadResult(0, 0, 0, Optional.empty(), true)),
                Optional.empty());
        Details ofCluster = details.withNodes(List.of(
                new NodeCounts("10.0.0.7:7000", new CommandCounts(9, 4, 2, 1, 1, 1, 0), 3),
                new NodeCounts("10.0.0.8:7000", CommandCounts.NONE, 0)));
        return Stream.of(
                report(new Ending.Completed(), JOB, ofCluster),
                report(new Ending.Completed(), JOB, Details.NONE),
                report(new Ending.Stopped("the server refused"), JOB, details),
                report(new Ending.Unverified("no time"), JOB, details),
                report(new Ending.Interrupted(), JOB, Details.NONE),
                report(new Ending.Completed(), JOB, replaced),
                report(new Ending.Failed("no source"), JOB, Details.NONE),
                report(new Ending.Completed(), new Job(Job.Kind.DRY_RUN, "a", "b", Instant.EPOCH), Details.NONE),
                LoadReport.withoutResult(new Ending.Interrupted(), JOB, new RowCounts(0, 0, 0, 0, 0), 0.5));
    }

    private static LoadReport report(Ending ending, Job job, Details details) {
        return new LoadReport(
                ending,
                job,
                new RowCounts(20, 13, 2, 1, 4),
                new CommandCounts(20, 14, 2, 1, 1, 2, 0),
                new FusionCounts(3, 12),
                4.31,
                1.25,
                77_000_000_000L,
                16_384,
                new Times(0.5, 0.25, 3, 0),
                Bottleneck.NETWORK,
                Optional.of(new Verified(12, 1)),
                Optional.of(new Server("Valkey", "9.1.0", "standalone")),
                details);
    }

    @ParameterizedTest
    @MethodSource("reports")
    void parsedReportEqualsTheWrittenReport(LoadReport report) {
        assertThat(LoadReportJson.parse(LoadReportJson.of(report))).isEqualTo(report);
        assertThat(LoadReportJson.parse(LoadReportJson.of(report, 4))).isEqualTo(report);
    }

    @Test
    void unknownMembersAreIgnored() {
        LoadReport report = report(new Ending.Completed(), JOB, Details.NONE);
        String json = LoadReportJson.of(report);

        assertThat(LoadReportJson.parse(
                        "{\"later\":[{\"a\":0,\"b\":null},1.5,null,true],\"last\":null," + json.substring(1)))
                .isEqualTo(report);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "{}", "{\"rows\":1}", "{\"ending\":\"lost\"}", "nothing", "{\"rows\":{"})
    void otherTextIsRefused(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LoadReportJson.parse(text))
                .withMessageContaining("not the JSON of a load report");
    }
}
