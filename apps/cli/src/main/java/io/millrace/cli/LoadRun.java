// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.client.exception.RedisException;
import io.millrace.load.ExitCode;
import io.millrace.load.LoadReport;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.LoadReport.Job;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Runs a load or a verification, and prints its progress and its report: the third stage of {@code millrace load} and
 * {@code millrace verify}. There is a report however the job ends: {@link #run} or the shutdown hook writes it, and only
 * one of them.
 */
final class LoadRun {

    /** Maximum wait for replies after Ctrl-C. Rows without a reply after this time are unconfirmed. */
    static final Duration DRAIN_LIMIT = Duration.ofSeconds(10);

    private final LoadRequest request;
    private final StandardStreams standardStreams;
    private final SecretMasker secretMasker;
    private final Job job;
    private final long startNanos = System.nanoTime();
    private final AtomicBoolean reported = new AtomicBoolean();

    /** The report of the ended job. Set by the thread that reports. */
    private final AtomicReference<@Nullable LoadReport> last = new AtomicReference<>();

    /** Set by the shutdown hook; never reset. */
    private volatile boolean interrupted;

    LoadRun(LoadRequest request, StandardStreams standardStreams, SecretMasker secretMasker) {
        this.request = request;
        this.standardStreams = standardStreams;
        this.secretMasker = secretMasker;
        this.job = request.verifies()
                ? Job.of(Job.Kind.VERIFICATION, request.plan(), request.redis().uri())
                : Job.of(request.plan(), request.redis().uri());
    }

    /** The report of the job; empty if it has not ended, or failed before it could begin. */
    Optional<LoadReport> report() {
        return Optional.ofNullable(last.get());
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
                job.kind(),
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
                DRAIN_LIMIT,
                new StoppableLoad(loader, display));
    }

    /** The reaction of this run to a signal. */
    private final class StoppableLoad implements GracefulShutdown.Stoppable {

        private final Loader loader;
        private final ProgressDisplay display;

        StoppableLoad(Loader loader, ProgressDisplay display) {
            this.loader = loader;
            this.display = display;
        }

        /**
         * Stops the load. Closes standard input, too, because this ends a read of standard input that blocks. Such a
         * read may block even before the load starts.
         */
        @Override
        public void stop() {
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

        /** Before the start, the load opens its source or connects to Redis, and has sent no row. */
        @Override
        public boolean awaitsReplies() {
            return display.isStarted();
        }

        @Override
        public void waiting() {
            PrintStream err = standardStreams.err();
            err.println("millrace: interrupted: waiting for replies, up to " + DRAIN_LIMIT.toSeconds()
                    + " s. A second Ctrl-C ends at once, without a report.");
            err.flush();
        }

        @Override
        public void abandon() {
            loader.abandon();
        }

        @Override
        public void timedOut() {
            reportLastCounts(display);
        }
    }

    private LoadReport load(Loader loader, ProgressDisplay display) {
        try {
            return request.verifies() ? loader.verify(request.plan(), display) : loader.run(request.plan(), display);
        } catch (RuntimeException | Error failed) {
            display.end();
            if (interrupted && isBeforeFirstRow(failed)) {
                return LoadReport.withoutResult(new Ending.Interrupted(), job, settled(display.counts()), seconds());
            }
            Failure failure = Failure.of(failed);
            Ending ending = new Ending.Failed(secretMasker.mask(failure.message()));
            writeFailure(LoadReport.withoutResult(ending, job, settled(display.counts()), seconds()), failure.code());
            throw failed;
        } finally {
            display.end();
        }
    }

    /** Whether a load throws this exception only before it has written a row. */
    private static boolean isBeforeFirstRow(Throwable failed) {
        return failed instanceof PlanException || failed instanceof SourceException || failed instanceof RedisException;
    }

    private ExitCode finish(LoadReport report) {
        PrintStream err = standardStreams.err();
        ReportFormatter.messages(report, request.plan().options()).forEach(note -> err.println("millrace: " + note));
        err.flush();
        last.set(report);
        ExitCode code = ExitCode.of(report);
        if (!reported.compareAndSet(false, true)) {
            return code;
        }
        // The file is written first, because a failure changes the exit code in the printed report.
        if (!writeFile(report, code)) {
            code = ExitCode.INTERNAL;
        }
        if (!printed(report, code, ExitCode.INTERNAL) && code != ExitCode.INTERNAL) {
            code = ExitCode.INTERNAL;
            var unusedWritten = writeFile(report, code);
        }
        return code;
    }

    /**
     * Prints the report to standard output. If this fails, prints it to standard error, and returns false.
     *
     * @param ifUnprinted the exit code if standard output is full
     */
    private boolean printed(LoadReport report, ExitCode code, ExitCode ifUnprinted) {
        return standardStreams.printResult(text(report, code), () -> text(report, ifUnprinted));
    }

    private String text(LoadReport report, ExitCode code) {
        return request.output().json()
                ? LoadReportJson.of(report, number(code))
                : ReportFormatter.lines(report, request.plan());
    }

    /**
     * Writes the report of a job without a result. Does nothing after a report. A load that is refused has no account of
     * its rows, only a message.
     */
    private void writeFailure(LoadReport report, ExitCode code) {
        last.set(report);
        if (reported.compareAndSet(false, true)) {
            if (request.output().json() || code != ExitCode.USAGE) {
                var unusedPrinted = printed(report, code, code);
            }
            var unusedWritten = writeFile(report, code);
        }
    }

    /** Writes the file of {@code --report}. Returns false if this fails. */
    private boolean writeFile(LoadReport report, ExitCode code) {
        return request.output().report().map(file -> write(file, report, code)).orElse(true);
    }

    private boolean write(Path file, LoadReport report, ExitCode code) {
        try {
            Files.writeString(file, LoadReportJson.of(report, number(code)) + "\n");
            return true;
        } catch (IOException failed) {
            standardStreams
                    .err()
                    .println("millrace: --report " + file + " could not be written: " + Failure.reason(failed)
                            + ". The load itself has ended as reported.");
            return false;
        }
    }

    /** Reports the last known counts of a load that did not end in time after Ctrl-C. */
    private void reportLastCounts(ProgressDisplay display) {
        PrintStream err = standardStreams.err();
        RowCounts counts = display.counts();
        err.println();
        err.println("millrace: interrupted; the load did not end in time, because the server or the source blocks it. "
                + "Last counts: read=" + counts.read() + ", written=" + counts.written() + ", rejected="
                + counts.rejected() + ", in flight=" + counts.inFlight() + " (unconfirmed).");
        err.flush();
        if (reported.compareAndSet(false, true)) {
            LoadReport report = LoadReport.withoutResult(new Ending.Interrupted(), job, settled(counts), seconds());
            var unusedPrinted = printed(report, ExitCode.INTERRUPTED, ExitCode.INTERRUPTED);
            var unusedWritten = writeFile(report, ExitCode.INTERRUPTED);
        }
    }

    /** Counts of a job that has ended without a result. Rows that were in flight are unconfirmed. */
    private static RowCounts settled(RowCounts last) {
        return new RowCounts(
                last.read(), last.written(), last.rejected(), last.skipped(), last.unconfirmed() + last.inFlight());
    }

    private double seconds() {
        return (System.nanoTime() - startNanos) / 1e9;
    }

    /** The exit code of the process. After a signal, it depends on the signal. */
    static int number(ExitCode code) {
        return code == ExitCode.INTERRUPTED ? Signals.exitCode() : code.number();
    }

    private static boolean needsScreen(ProgressStyle style) {
        return style == ProgressStyle.AUTO || style == ProgressStyle.BAR;
    }
}
