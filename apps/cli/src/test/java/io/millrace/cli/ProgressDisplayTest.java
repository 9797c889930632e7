// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.load.LoadEvent.Progress;
import io.millrace.load.LoadEvent.Rejected;
import io.millrace.load.LoadEvent.Started;
import io.millrace.load.LoadEvent.Verifying;
import io.millrace.load.LoadReport.Job.Kind;
import io.millrace.load.RowCounts;
import io.millrace.load.source.Rejection;
import io.millrace.load.source.Rejection.Reason;
import io.millrace.load.source.Row;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ProgressDisplayTest {

    private static final OptionalInt SCREEN = OptionalInt.of(80);
    private static final OptionalInt NO_SCREEN = OptionalInt.empty();

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final PrintStream err = new PrintStream(printed, true, UTF_8);
    private final RejectionMessages notes = new RejectionMessages(false, Optional.empty());

    @Test
    void autoStyleDrawsABarOnATerminal() {
        ProgressDisplay display = display(ProgressStyle.AUTO, SCREEN);

        start(display);
        display.accept(progress(50, 1));
        display.accept(progress(60, 2));
        display.end();

        assertThat(text()).matches("\\rload +50% .*\\u001b\\[K\\rload +60% .*\\u001b\\[K\\R");
    }

    @Test
    void autoStylePrintsALogLineEveryFiveSecondsWithoutATerminal() {
        ProgressDisplay display = display(ProgressStyle.AUTO, NO_SCREEN);

        start(display);
        for (int second = 1; second <= 12; second++) {
            display.accept(progress(second, second));
        }

        assertThat(text().lines())
                .hasSize(3)
                .satisfiesExactly(
                        line -> assertThat(line).isEqualTo("load: shop.csv -> redis://127.0.0.1:6379"),
                        line -> assertThat(line).startsWith("load: 5 rows (5%), "),
                        line -> assertThat(line).startsWith("load: 10 rows (10%), "));
    }

    @Test
    void noneStylePrintsNothing() {
        ProgressDisplay display = display(ProgressStyle.NONE, SCREEN);

        start(display);
        display.accept(progress(50, 60));
        display.accept(new Verifying(1, 0, 60));
        display.end();

        assertThat(text()).isEmpty();
    }

    @Test
    void rowLimitIsUsedAsTheExpectedNumberOfRows() {
        ProgressDisplay display =
                new ProgressDisplay(err, Kind.LOAD, ProgressStyle.BAR, SCREEN, OptionalLong.of(10), notes);

        start(display);
        display.accept(progress(5, 1));

        assertThat(text()).contains(" 50% ");
    }

    @Test
    void messageReplacesTheBarAndVerificationStartsANewLine() {
        ProgressDisplay display = display(ProgressStyle.BAR, SCREEN);

        start(display);
        display.accept(progress(50, 1));
        display.accept(rejected(7));
        display.accept(progress(60, 2));
        display.accept(new Verifying(1, 0, 1));
        display.end();

        assertThat(text())
                .matches("\\rload .*\\u001b\\[K\\r\\u001b\\[Krejected: shop.csv:7: key-empty: no key\\R"
                        + "\\rload .*\\u001b\\[K\\R\\rverify .*\\u001b\\[K\\R");
    }

    @Test
    void onlyTheFirstFiveRejectedRowsAreNamedAndTheRestAreCounted() {
        ProgressDisplay display = display(ProgressStyle.NONE, NO_SCREEN);

        start(display);
        for (int line = 1; line <= 1_005; line++) {
            display.accept(rejected(line));
        }

        assertThat(text().lines()).hasSize(5);
        assertThat(notes.summary())
                .contains("1,000 more rows were rejected."
                        + " --rejects FILE writes all rejected rows, with their reasons, to a file.");
    }

    @Test
    void summaryNamesTheRejectsFile() {
        RejectionMessages withFile = new RejectionMessages(false, Optional.of(Path.of("bad.jsonl")));

        withFile.message(rejected(1));

        assertThat(withFile.summary()).contains("All rejected rows, with their reasons, are in bad.jsonl.");
    }

    @Test
    void quietOptionSuppressesMessagesAboutRejectedRows() {
        RejectionMessages quiet = new RejectionMessages(true, Optional.empty());

        assertThat(quiet.message(rejected(1))).isEmpty();
        assertThat(quiet.summary()).isEmpty();
    }

    private ProgressDisplay display(ProgressStyle style, OptionalInt screen) {
        return new ProgressDisplay(err, Kind.LOAD, style, screen, OptionalLong.empty(), notes);
    }

    private String text() {
        return printed.toString(UTF_8);
    }

    private static void start(ProgressDisplay display) {
        display.accept(new Started(Kind.LOAD, "shop.csv", "redis://127.0.0.1:6379", OptionalLong.empty()));
    }

    /** Progress in a file of a hundred rows. */
    private static Progress progress(long written, double seconds) {
        return new Progress(
                new RowCounts(written, written, 0, 0, 0), 0, 0, seconds, OptionalDouble.of(written / 100.0));
    }

    private static Rejected rejected(long line) {
        Row row = new Row();
        row.clear(line - 1, line);
        return new Rejected(row, "", new Rejection(Reason.KEY_EMPTY, "no key"));
    }
}
