// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.client.Setting.Unit;
import io.millrace.load.LoadEvent;
import io.millrace.load.LoadEvent.Differed;
import io.millrace.load.LoadEvent.Finished;
import io.millrace.load.LoadEvent.Progress;
import io.millrace.load.LoadEvent.Rejected;
import io.millrace.load.LoadEvent.Resumed;
import io.millrace.load.LoadEvent.Started;
import io.millrace.load.LoadEvent.Verifying;
import io.millrace.load.LoadEvent.Warned;
import io.millrace.load.LoadReport.Job.Kind;
import io.millrace.load.RowCounts;
import java.io.PrintStream;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * Shows the progress of a load on standard error.
 *
 * <p>Several threads send events, but never two at the same time. So the fields that change with an event are volatile,
 * and need no lock.
 */
final class ProgressDisplay implements Consumer<LoadEvent> {

    private static final int LOG_SECONDS = 5;
    private static final String ERASE_TO_END = "\u001b[K";

    private final PrintStream err;
    private final ProgressStyle style;
    private final int width;
    private final OptionalLong limit;
    private final RejectionMessages rejections;

    private volatile OptionalLong expected = OptionalLong.empty();
    private volatile boolean lineOpen;
    private volatile double lastLogSeconds;
    private volatile boolean verifying;
    private volatile RowCounts counts = new RowCounts(0, 0, 0, 0, 0);
    private volatile boolean isStarted;

    /**
     * Creates the display of one job.
     *
     * @param style AUTO means BAR on a terminal and LOG elsewhere
     * @param screenWidth columns of the terminal; empty if standard error is not a terminal
     * @param limit maximum number of rows to read
     */
    ProgressDisplay(
            PrintStream err,
            ProgressStyle style,
            OptionalInt screenWidth,
            OptionalLong limit,
            RejectionMessages rejections) {
        this.err = err;
        this.style =
                style != ProgressStyle.AUTO ? style : screenWidth.isPresent() ? ProgressStyle.BAR : ProgressStyle.LOG;
        // The last column stays free, because some terminals wrap the line when it is filled.
        this.width = screenWidth.orElse(80) - 1;
        this.limit = limit;
        this.rejections = rejections;
    }

    @Override
    public void accept(LoadEvent event) {
        switch (event) {
            case Started started -> start(started);
            case Resumed resumed -> show(resumed);
            case Progress progress -> show(progress);
            case Rejected rejected -> rejections.message(rejected).ifPresent(this::line);
            case Verifying verification -> show(verification);
            case Differed differed -> rejections.message(differed).ifPresent(this::line);
            case Warned warned -> line("warning: " + warned.message());
            case Finished finished -> end();
        }
    }

    /** Sets the expected number of rows. The caller calls this method only if it knows the number before the load. */
    void expect(long rows) {
        expected = OptionalLong.of(rows);
    }

    /** The latest row counts. Can be called from any thread. */
    RowCounts counts() {
        return counts;
    }

    /** Whether the source is open and the load is connected. Can be called from any thread. */
    boolean isStarted() {
        return isStarted;
    }

    /** Ends the line of the bar, so that other output can follow. Does nothing if no bar is drawn. */
    void end() {
        if (lineOpen) {
            lineOpen = false;
            err.println();
            err.flush();
        }
    }

    private void start(Started started) {
        isStarted = true;
        rejections.source(started.source());
        started.expectedRows().ifPresent(rows -> expect(Math.min(rows, limit.orElse(rows))));
        if (style == ProgressStyle.LOG) {
            line(
                    started.kind() == Kind.VERIFICATION
                            ? "verify: " + started.source() + " with " + started.server()
                            : "load: " + started.source() + " -> " + started.server());
        }
    }

    private void show(Resumed resumed) {
        if (style == ProgressStyle.BAR || style == ProgressStyle.LOG) {
            line(
                    resumed.rows() == 0
                            ? "resume: there is nothing to continue (" + resumed.place()
                                    + "), so the load begins with the first row"
                            : "resume: the load continues after " + Unit.COUNT.text(resumed.rows()) + " rows ("
                                    + resumed.place() + ")");
        }
    }

    private void show(Progress progress) {
        counts = progress.rows();
        OptionalDouble share = ProgressShare.of(progress, expected, limit);
        switch (style) {
            case BAR -> draw(ProgressFormatter.bar(progress, share, width));
            case LOG -> {
                if (logIsDue(progress.seconds())) {
                    line(ProgressFormatter.log(progress, share));
                }
            }
            case NDJSON -> line(ProgressFormatter.ndjson(progress, share));
            case AUTO, NONE -> {}
        }
    }

    private void show(Verifying verification) {
        if (!verifying) {
            verifying = true;
            lastLogSeconds = 0;
            end();
        }
        OptionalDouble share = ProgressShare.of(verification, expected, limit);
        switch (style) {
            case BAR -> draw(ProgressFormatter.bar(verification, share, width));
            case LOG -> {
                if (logIsDue(verification.seconds())) {
                    line(ProgressFormatter.log(verification, share));
                }
            }
            case NDJSON -> line(ProgressFormatter.ndjson(verification, share));
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

    /** Prints a separate line. The next event draws the bar again below the line. */
    private void line(String text) {
        if (lineOpen) {
            lineOpen = false;
            err.print("\r" + ERASE_TO_END);
        }
        err.println(text);
        err.flush();
    }
}
