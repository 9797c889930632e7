// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.client.CommandCounts;
import io.millrace.client.FusionCounts;
import io.millrace.client.exception.RedisException;
import io.millrace.load.LoadReport;
import io.millrace.load.LoadReport.Bottleneck;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.LoadReport.Times;
import io.millrace.load.LoadReportJson;
import io.millrace.load.Loader;
import io.millrace.load.RowCounts;
import io.millrace.load.source.SourceException;
import io.millrace.load.target.PlanException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/** Runs a load and prints its progress and its report: the third stage of {@code millrace load}. */
final class LoadRun {

    /** Maximum wait for replies after Ctrl-C. Rows without a reply after this time are unconfirmed. */
    static final Duration DRAIN_LIMIT = Duration.ofSeconds(10);

    private final LoadRequest request;
    private final StandardStreams standardStreams;
    private volatile boolean interrupted;

    LoadRun(LoadRequest request, StandardStreams standardStreams) {
        this.request = request;
        this.standardStreams = standardStreams;
    }

    /** Runs the load and prints its result. Blocks until the load has ended and the result is printed. */
    ExitCode run() {
        OutputChoice output = request.output();
        request.warnings().forEach(warning -> standardStreams.err().println("warning: " + warning));
        if (request.explain()) {
            return new ExplainRun(request.plan(), standardStreams.out()).run();
        }
        RejectionMessages rejections =
                new RejectionMessages(output.quiet(), request.plan().options().rejects());
        ProgressDisplay display = new ProgressDisplay(
                standardStreams.err(),
                output.progress(),
                needsScreen(output.progress()) ? standardStreams.terminalWidth().get() : OptionalInt.empty(),
                request.plan().options().limit(),
                rejections);
        Loader loader = new Loader(request.redis());
        return GracefulShutdown.run(
                () -> {
                    LoadReport report = load(loader, display);
                    rejections.summary().ifPresent(standardStreams.err()::println);
                    return finish(report);
                },
                () -> stop(loader),
                DRAIN_LIMIT,
                loader::abandon,
                () -> printLastCounts(standardStreams.err(), display));
    }

    private LoadReport load(Loader loader, ProgressDisplay display) {
        long begin = System.nanoTime();
        try {
            return loader.run(request.plan(), display);
        } catch (PlanException | SourceException | RedisException failed) {
            // The load throws these exceptions only before it has written a row.
            if (interrupted) {
                return emptyReport((System.nanoTime() - begin) / 1e9);
            }
            throw failed;
        } finally {
            display.end();
        }
    }

    /**
     * Stops the load. Closes standard input, too, because this ends a read of standard input that blocks. Such a read
     * may block even before the load starts.
     */
    private void stop(Loader loader) {
        interrupted = true;
        loader.stop();
        if (request.readsStandardInput()) {
            try {
                standardStreams.in().close();
            } catch (IOException unclosed) {
                // Standard input was not closed. The load ends at the end of the input, or at the drain limit.
            }
        }
    }

    /** The report of a load that was interrupted before it read a row. Nothing has been written then. */
    private static LoadReport emptyReport(double seconds) {
        return new LoadReport(
                new Ending.Interrupted(),
                new RowCounts(0, 0, 0, 0, 0),
                CommandCounts.NONE,
                FusionCounts.NONE,
                seconds,
                0,
                0,
                0,
                new Times(seconds, 0, 0, 0),
                Bottleneck.SOURCE,
                Optional.empty(),
                Optional.empty());
    }

    private ExitCode finish(LoadReport report) {
        PrintStream err = standardStreams.err();
        ReportFormatter.messages(report, request.plan().options()).forEach(note -> err.println("millrace: " + note));
        err.flush();
        PrintStream out = standardStreams.out();
        out.println(
                request.output().json()
                        ? LoadReportJson.of(report)
                        : ReportFormatter.lines(report, request.plan().source().name()));
        if (out.checkError()) {
            err.println("millrace: the result could not be written to standard output.");
            return ExitCode.INTERNAL;
        }
        if (request.output().report().isPresent()
                && !write(request.output().report().get(), report)) {
            return ExitCode.INTERNAL;
        }
        return ExitCode.of(report);
    }

    private boolean write(Path file, LoadReport report) {
        try {
            Files.writeString(file, LoadReportJson.of(report) + "\n");
            return true;
        } catch (IOException failed) {
            standardStreams
                    .err()
                    .println("millrace: --report " + file + " could not be written: " + Failure.reason(failed)
                            + ". The load itself has ended as reported above.");
            return false;
        }
    }

    /** Prints the last known counts of a load that did not end in time after Ctrl-C. */
    static void printLastCounts(PrintStream err, ProgressDisplay display) {
        RowCounts counts = display.counts();
        err.println();
        err.println("millrace: interrupted, but the load did not end in time. The load no longer waits for "
                + "replies, so the server or the source blocks it. There is no report. Last counts: read="
                + counts.read() + ", written=" + counts.written() + ", rejected=" + counts.rejected() + ", in flight="
                + counts.inFlight() + " (unconfirmed).");
        err.flush();
    }

    private static boolean needsScreen(ProgressStyle style) {
        return style == ProgressStyle.AUTO || style == ProgressStyle.BAR;
    }
}
