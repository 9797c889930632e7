// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.client.CommandCounts;
import io.millrace.client.FusionCounts;
import io.millrace.client.RedisException;
import io.millrace.load.LoadReport;
import io.millrace.load.LoadReport.Bottleneck;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.LoadReport.Times;
import io.millrace.load.LoadReportJson;
import io.millrace.load.Loader;
import io.millrace.load.PlanException;
import io.millrace.load.RowCounts;
import io.millrace.load.source.SourceException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/** Runs a load and shows what becomes of it: the third stage of {@code millrace load}. */
final class LoadRun {

    /** How long Ctrl-C waits for replies before it counts their rows as unconfirmed. */
    static final Duration DRAIN_LIMIT = Duration.ofSeconds(10);

    private final LoadRequest request;
    private final Streams streams;
    private volatile boolean interrupted;

    LoadRun(LoadRequest request, Streams streams) {
        this.request = request;
        this.streams = streams;
    }

    /** Blocks until the load has ended and its result is printed. */
    ExitCode run() {
        OutputChoice output = request.output();
        request.warnings().forEach(warning -> streams.err().println("warning: " + warning));
        if (request.explain()) {
            return new ExplainRun(request.plan(), streams.out()).run();
        }
        RejectionNotes rejections =
                new RejectionNotes(output.quiet(), request.plan().options().rejects());
        ProgressDisplay display = new ProgressDisplay(
                streams.err(),
                output.progress(),
                needsScreen(output.progress()) ? streams.screenWidth().get() : OptionalInt.empty(),
                request.plan().options().limit(),
                rejections);
        LibraryLogs.silence();
        Loader loader = new Loader(request.redis());
        return Interruption.guard(
                () -> {
                    LoadReport report = load(loader, display);
                    rejections.summary().ifPresent(streams.err()::println);
                    return finish(report);
                },
                () -> stop(loader),
                DRAIN_LIMIT,
                loader::abandon,
                () -> giveUp(streams.err(), display));
    }

    private LoadReport load(Loader loader, ProgressDisplay display) {
        long begin = System.nanoTime();
        try {
            return loader.run(request.plan(), display);
        } catch (PlanException | SourceException | RedisException failed) {
            // These, and no others, promise that nothing has been written.
            if (interrupted) {
                return notBegun((System.nanoTime() - begin) / 1e9);
            }
            throw failed;
        } finally {
            display.end();
        }
    }

    /** Input that does not come may be waited for before the load has begun, to look at its first bytes. */
    private void stop(Loader loader) {
        interrupted = true;
        loader.stop();
        if (request.standardInput()) {
            try {
                streams.in().close();
            } catch (IOException unclosed) {
                // Then its end is waited for, as long as the limit allows.
            }
        }
    }

    /** A load ends with an exception only as long as nothing has been written. */
    private static LoadReport notBegun(double seconds) {
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
        PrintStream err = streams.err();
        ReportText.notes(report, request.plan().options()).forEach(note -> err.println("millrace: " + note));
        err.flush();
        String json = LoadReportJson.of(report);
        PrintStream out = streams.out();
        out.println(
                request.output().json()
                        ? json
                        : ReportText.lines(report, request.plan().source().name()));
        if (out.checkError()) {
            err.println("millrace: the result could not be written to standard output.");
            return ExitCode.INTERNAL;
        }
        if (request.output().report().isPresent()
                && !write(request.output().report().get(), json)) {
            return ExitCode.INTERNAL;
        }
        return ExitCode.of(report);
    }

    private boolean write(Path file, String json) {
        try {
            Files.writeString(file, json + "\n");
            return true;
        } catch (IOException failed) {
            streams.err()
                    .println("millrace: --report " + file + " could not be written: " + Failure.reason(failed)
                            + ". The load itself has ended as reported above.");
            return false;
        }
    }

    /** The last words of a run that did not come to its end in time after Ctrl-C. */
    static void giveUp(PrintStream err, ProgressDisplay display) {
        RowCounts counts = display.counts();
        err.println();
        err.println(
                "millrace: interrupted, and the load has not come to its end in time, although it waits for no reply any more: "
                        + "the server or the source does not let go. No report; last seen: read=" + counts.read()
                        + ", written=" + counts.written() + ", rejected=" + counts.rejected() + ", in flight="
                        + counts.inFlight() + " (unconfirmed).");
        err.flush();
    }

    private static boolean needsScreen(ProgressStyle style) {
        return style == ProgressStyle.AUTO || style == ProgressStyle.BAR;
    }
}
