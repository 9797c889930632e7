// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.load.LoadEvent;
import io.millrace.load.LoadEvent.Finished;
import io.millrace.load.LoadEvent.Progress;
import io.millrace.load.LoadEvent.Rejected;
import io.millrace.load.LoadEvent.Started;
import io.millrace.load.LoadEvent.Verifying;
import io.millrace.load.LoadEvent.Warned;
import io.millrace.load.RowCounts;
import java.io.PrintStream;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * Shows on standard error what happens during a load.
 *
 * <p>Events come one at a time, but from several threads: what they change is volatile.
 */
final class ProgressDisplay implements Consumer<LoadEvent> {

    private static final int LOG_SECONDS = 5;
    private static final String ERASE_TO_END = "\u001b[K";

    private final PrintStream err;
    private final ProgressStyle style;
    private final int width;
    private final OptionalLong limit;
    private final RejectionNotes rejections;

    private volatile OptionalLong expected = OptionalLong.empty();
    private volatile boolean lineOpen;
    private volatile double lastLogSeconds;
    private volatile boolean verifying;
    private volatile RowCounts counts = new RowCounts(0, 0, 0, 0, 0);

    /**
     * A display of one load.
     *
     * @param style AUTO becomes BAR where there is a screen, otherwise LOG
     * @param screenWidth columns of the terminal; empty if there is none
     * @param limit of the rows that are read
     */
    ProgressDisplay(
            PrintStream err,
            ProgressStyle style,
            OptionalInt screenWidth,
            OptionalLong limit,
            RejectionNotes rejections) {
        this.err = err;
        this.style =
                style != ProgressStyle.AUTO ? style : screenWidth.isPresent() ? ProgressStyle.BAR : ProgressStyle.LOG;
        // One column less than there are: a full last column makes some terminals wrap.
        this.width = screenWidth.orElse(80) - 1;
        this.limit = limit;
        this.rejections = rejections;
    }

    @Override
    public void accept(LoadEvent event) {
        switch (event) {
            case Started started -> start(started);
            case Progress progress -> show(progress);
            case Rejected rejected -> rejections.note(rejected).ifPresent(this::line);
            case Verifying back -> show(back);
            case Warned warned -> line("warning: " + warned.message());
            case Finished finished -> end();
        }
    }

    /** Says how many rows there will be, where that is known beforehand. */
    void expect(long rows) {
        expected = OptionalLong.of(rows);
    }

    /** What is known of the rows at this moment; from any thread. */
    RowCounts counts() {
        return counts;
    }

    /** Ends a line that is being drawn, so that others can print; does nothing if there is none. */
    void end() {
        if (lineOpen) {
            lineOpen = false;
            err.println();
            err.flush();
        }
    }

    private void start(Started started) {
        rejections.source(started.source());
        started.expectedRows().ifPresent(rows -> expect(Math.min(rows, limit.orElse(rows))));
        if (style == ProgressStyle.LOG) {
            line("load: " + started.source() + " -> " + started.server());
        }
    }

    private void show(Progress progress) {
        counts = progress.rows();
        OptionalDouble share = ProgressShare.of(progress, expected, limit);
        switch (style) {
            case BAR -> draw(ProgressText.bar(progress, share, width));
            case LOG -> {
                if (logIsDue(progress.seconds())) {
                    line(ProgressText.log(progress, share));
                }
            }
            case NDJSON -> line(ProgressText.ndjson(progress, share));
            case AUTO, NONE -> {}
        }
    }

    private void show(Verifying back) {
        if (!verifying) {
            verifying = true;
            lastLogSeconds = 0;
            end();
        }
        OptionalDouble share = ProgressShare.of(back, expected, limit);
        switch (style) {
            case BAR -> draw(ProgressText.bar(back, share, width));
            case LOG -> {
                if (logIsDue(back.seconds())) {
                    line(ProgressText.log(back, share));
                }
            }
            case NDJSON -> line(ProgressText.ndjson(back, share));
            case AUTO, NONE -> {}
        }
    }

    private boolean logIsDue(double seconds) {
        boolean due = seconds - lastLogSeconds >= LOG_SECONDS;
        if (due) {
            lastLogSeconds = seconds;
        }
        return due;
    }

    private void draw(String bar) {
        lineOpen = true;
        err.print("\r" + bar + ERASE_TO_END);
        err.flush();
    }

    /** Prints a line of its own; a bar that was there is drawn again below it with the next event. */
    private void line(String text) {
        if (lineOpen) {
            lineOpen = false;
            err.print("\r" + ERASE_TO_END);
        }
        err.println(text);
        err.flush();
    }
}
