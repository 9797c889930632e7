// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.CommandCounts;
import io.millrace.client.FusionCounts;
import io.millrace.load.LoadReport.Bottleneck;
import io.millrace.load.LoadReport.Details;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.LoadReport.Job;
import io.millrace.load.LoadReport.Times;
import io.millrace.load.target.Repetition;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a report says about a repeated load of the same rows. */
class RepetitionTest {

    private static final RowCounts ALL_WRITTEN = new RowCounts(10, 10, 0, 0, 0);
    private static final RowCounts SOME_UNCONFIRMED = new RowCounts(10, 7, 0, 0, 3);

    @Test
    void unconfirmedRowsOfAListMustNotBeLoadedAgainUnchecked() {
        assertThat(report(SOME_UNCONFIRMED, Repetition.ADDS_ROW_AGAIN)
                        .unconfirmedReason()
                        .orElseThrow())
                .startsWith("3 rows may or may not have been written")
                .contains("Do not load these rows again before you have checked the key");
        assertThat(report(SOME_UNCONFIRMED, Repetition.CHANGES_NOTHING)
                        .unconfirmedReason()
                        .orElseThrow())
                .contains("writing the same row twice changes nothing");
        assertThat(report(SOME_UNCONFIRMED, Repetition.LEAVES_ROW_OUT)
                        .unconfirmedReason()
                        .orElseThrow())
                .contains("a row that was written is then left out");
    }

    @Test
    void incompleteLoadIntoAListWarnsAboutARepeatedLoad() {
        assertThat(report(SOME_UNCONFIRMED, Repetition.ADDS_ROW_AGAIN).repetitionWarning())
                .contains("a repeated load of the same source would add 7 rows a second time, and perhaps 3 more."
                        + " Load only the other rows, or delete the keys first.");
        assertThat(report(new RowCounts(10, 9, 1, 0, 0), Repetition.ADDS_ROW_AGAIN)
                        .repetitionWarning()
                        .orElseThrow())
                .contains("would add 9 rows a second time. Load");
        assertThat(report(ALL_WRITTEN, Repetition.ADDS_ROW_AGAIN).repetitionWarning())
                .isEmpty();
        assertThat(report(new RowCounts(10, 0, 10, 0, 0), Repetition.ADDS_ROW_AGAIN)
                        .repetitionWarning())
                .isEmpty();
        assertThat(report(SOME_UNCONFIRMED, Repetition.CHANGES_NOTHING).repetitionWarning())
                .isEmpty();
    }

    @Test
    void jsonNamesTheRepetitionUnlessItChangesNothing() {
        assertThat(LoadReportJson.of(report(ALL_WRITTEN, Repetition.ADDS_ROW_AGAIN)))
                .contains("\"repetition\":\"adds-row-again\"");
        assertThat(LoadReportJson.of(report(ALL_WRITTEN, Repetition.LEAVES_ROW_OUT)))
                .contains("\"repetition\":\"leaves-row-out\"");
        assertThat(LoadReportJson.of(report(ALL_WRITTEN, Repetition.CHANGES_NOTHING)))
                .doesNotContain("repetition");
    }

    private static LoadReport report(RowCounts rows, Repetition repetition) {
        return new LoadReport(
                new Ending.Completed(),
                new Job(Job.Kind.LOAD, "a.csv", "redis://localhost list l", Instant.EPOCH),
                rows,
                CommandCounts.NONE,
                FusionCounts.NONE,
                1,
                1,
                0,
                0,
                new Times(0, 0, 0, 0),
                Bottleneck.SERVER,
                Optional.empty(),
                Optional.empty(),
                new Details(
                        Optional.empty(), List.of(), 0, 0, List.of(), repetition, Optional.empty(), Optional.empty()));
    }
}
