// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.CommandCounts;
import io.millrace.client.FusionCounts;
import io.millrace.client.NodeCounts;
import io.millrace.load.LoadOptions;
import io.millrace.load.LoadOptions.Verification;
import io.millrace.load.LoadPlan;
import io.millrace.load.LoadReport;
import io.millrace.load.LoadReport.Bottleneck;
import io.millrace.load.LoadReport.Checkpoint;
import io.millrace.load.LoadReport.Checkpoint.State;
import io.millrace.load.LoadReport.Details;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.LoadReport.Job;
import io.millrace.load.LoadReport.Server;
import io.millrace.load.LoadReport.Times;
import io.millrace.load.LoadReport.Verified;
import io.millrace.load.RowCounts;
import io.millrace.load.RowRange;
import io.millrace.load.source.CsvOptions;
import io.millrace.load.source.CsvSource;
import io.millrace.load.target.HashTarget;
import io.millrace.load.target.Repetition;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ReportFormatterTest {

    private static final RowCounts ALL_WRITTEN = new RowCounts(10, 10, 0, 0, 0);
    private static final RowCounts SOME_UNCONFIRMED = new RowCounts(10, 7, 0, 0, 3);
    private static final LoadOptions VERIFYING =
            LoadOptions.builder().verify(Verification.FULL).build();

    @Test
    void reportContainsTheWordLoadedOnlyIfEveryOutcomeIsKnown() {
        assertThat(first(new Ending.Completed(), ALL_WRITTEN))
                .isEqualTo("loaded shop.csv into Redis 7.0.15 (standalone)");
        assertThat(first(new Ending.Completed(), SOME_UNCONFIRMED)).doesNotContain("loaded");
        assertThat(first(new Ending.Stopped("why"), ALL_WRITTEN))
                .startsWith("stopped while loading shop.csv into Redis");
        assertThat(first(new Ending.Completed(), new RowCounts(10, 0, 10, 0, 0)))
                .doesNotContain("loaded");
        assertThat(first(new Ending.Unverified("why"), ALL_WRITTEN))
                .isEqualTo("loaded shop.csv into Redis 7.0.15 (standalone), but the verification did not complete");
        assertThat(first(new Ending.Interrupted(), ALL_WRITTEN)).startsWith("interrupted while loading shop.csv");
    }

    @Test
    void messageOfAnInterruptedLoadSaysWhetherEveryCommandWasAnswered() {
        assertThat(notes(new Ending.Interrupted(), ALL_WRITTEN, Optional.empty(), LoadOptions.defaults()))
                .isEqualTo("interrupted; all commands in flight have been answered.");
        assertThat(notes(new Ending.Interrupted(), SOME_UNCONFIRMED, Optional.empty(), LoadOptions.defaults()))
                .isEqualTo("interrupted; some commands in flight have not been answered.");
    }

    @Test
    void incompleteVerificationIsReported() {
        assertThat(notes(new Ending.Stopped("why"), ALL_WRITTEN, Optional.empty(), VERIFYING))
                .startsWith("stopped: why\nnot verified: ");
        assertThat(notes(new Ending.Unverified("why"), ALL_WRITTEN, Optional.empty(), VERIFYING))
                .isEqualTo("not verified: why");
        assertThat(notes(new Ending.Completed(), ALL_WRITTEN, Optional.of(new Verified(10, 0)), VERIFYING))
                .isEmpty();
    }

    @Test
    void unconfirmedRowsAreLeftToResumeIfTheCheckpointCanBeContinued() {
        assertThat(unconfirmed(State.CAN_RESUME))
                .isEqualTo("unconfirmed: rows 8 to 10 (lines 9 to 11). These rows are written if you continue with"
                        + " --resume.\ncheckpoint: the first 7 rows are done (path=a). Run the same command with --resume"
                        + " to continue.");
        assertThat(unconfirmed(State.LOST))
                .isEqualTo("unconfirmed: rows 8 to 10 (lines 9 to 11). Do not load these rows again before you have"
                        + " checked the key: a row that was written would be added a second time.");
    }

    private static String unconfirmed(State state) {
        Details details = new Details(
                Optional.empty(),
                List.of(new RowRange(8, 10, 9, 11, 3, "")),
                0,
                List.of(),
                Repetition.ADDS_ROW_AGAIN,
                Optional.empty(),
                Optional.of(new Checkpoint("job", "path=a", 0, 7, state)));
        LoadReport report = report(new Ending.Completed(), SOME_UNCONFIRMED, Optional.empty(), details);
        return String.join("\n", ReportFormatter.messages(report, LoadOptions.defaults()));
    }

    @Test
    void adviceForUnconfirmedRowsDependsOnTheTarget() {
        assertThat(adviceAbout(Repetition.CHANGES_NOTHING))
                .startsWith("unconfirmed: rows 5 to 9. Load these rows again; ");
        assertThat(adviceAbout(Repetition.ADDS_ROW_AGAIN))
                .startsWith("unconfirmed: rows 5 to 9. Do not load these rows again before you have checked the key: ");
    }

    private static String adviceAbout(Repetition repetition) {
        Details details = new Details(
                Optional.empty(),
                List.of(new RowRange(5, 9, 0, 0, 5, "")),
                0,
                List.of(),
                repetition,
                Optional.empty(),
                Optional.empty());
        LoadReport report = report(new Ending.Completed(), new RowCounts(10, 5, 0, 0, 5), Optional.empty(), details);
        return String.join("\n", ReportFormatter.messages(report, LoadOptions.defaults()));
    }

    @Test
    void nodesOfAClusterHaveALineEach() {
        LoadPlan plan = new LoadPlan(
                CsvSource.of(Path.of("shop.csv"), CsvOptions.defaults()),
                HashTarget.of("c:{id}"),
                LoadOptions.defaults());
        Details details = Details.NONE.withNodes(List.of(
                new NodeCounts("10.0.0.7:7000", new CommandCounts(1_234, 1_230, 1, 1, 1, 1, 0), 1_012),
                new NodeCounts("10.0.0.8:7000", new CommandCounts(1, 1, 0, 0, 0, 0, 0), 0)));

        assertThat(ReportFormatter.lines(
                        report(new Ending.Completed(), SOME_UNCONFIRMED, Optional.empty(), details), plan))
                .contains("""
                        redirects: 1,012
                        node 10.0.0.7:7000: 2,246 commands submitted, 1,230 ok, 1 refused with an error, \
                        1 without a reply in time, 1 not sent, 1 lost, 1,012 redirected
                        node 10.0.0.8:7000: 1 command submitted, 1 ok
                        """);
    }

    private static String first(Ending ending, RowCounts rows) {
        LoadPlan plan = new LoadPlan(
                CsvSource.of(Path.of("shop.csv"), CsvOptions.defaults()),
                HashTarget.of("c:{id}"),
                LoadOptions.defaults());
        return ReportFormatter.lines(report(ending, rows, Optional.empty()), plan)
                .lines()
                .findFirst()
                .orElseThrow();
    }

    private static String notes(Ending ending, RowCounts rows, Optional<Verified> verified, LoadOptions options) {
        return String.join("\n", ReportFormatter.messages(report(ending, rows, verified), options));
    }

    private static LoadReport report(Ending ending, RowCounts rows, Optional<Verified> verified) {
        return report(ending, rows, verified, Details.NONE);
    }

    private static LoadReport report(Ending ending, RowCounts rows, Optional<Verified> verified, Details details) {
        return new LoadReport(
                ending,
                new Job(Job.Kind.LOAD, "shop.csv", "redis://cache:6379 hash c:{id}", Instant.EPOCH),
                rows,
                CommandCounts.NONE,
                FusionCounts.NONE,
                1,
                1,
                0,
                0,
                new Times(0, 0, 0, 0),
                Bottleneck.SERVER,
                verified,
                Optional.of(new Server("Redis", "7.0.15", "standalone")),
                details);
    }
}
