// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.load.ExitCode;
import io.millrace.load.LoadReport;
import io.millrace.load.LoadReportJson;
import io.millrace.load.source.SharedReading;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Runs the jobs of a file, one after the other: the third stage of {@code millrace run}. The loads of one job run at the
 * same time, because they read the source together. Confined to one thread, except {@link #run(RunRequest.NamedLoad,
 * Optional)}.
 */
final class JobsRun {

    /**
     * The result of a load.
     *
     * @param text what the load printed to standard output
     * @param report empty if the load failed before it had a report
     */
    record LoadResult(String name, ExitCode code, String text, Optional<LoadReport> report) {

        /** The result as one JSON object on one line. */
        String json() {
            JsonObject json = new JsonObject().text("name", name);
            report.ifPresentOrElse(
                    known -> json.json("report", LoadReportJson.of(known, LoadRun.number(code))),
                    () -> json.number("exit", LoadRun.number(code)));
            return json.toString();
        }
    }

    /** Longer than a load waits for its last replies. */
    private static final Duration SHUTDOWN_LIMIT = LoadRun.DRAIN_LIMIT.plusSeconds(6);

    private final RunRequest request;
    private final StandardStreams standardStreams;
    private final SecretMasker secretMasker;
    private final List<LoadResult> results = new ArrayList<>();

    /** Set by the shutdown hook; never reset. */
    private volatile boolean interrupted;

    JobsRun(RunRequest request, StandardStreams standardStreams, SecretMasker secretMasker) {
        this.request = request;
        this.standardStreams = standardStreams;
        this.secretMasker = secretMasker;
    }

    /**
     * Runs the jobs, and prints the sum. Blocks until the last job has ended. After a signal, the running loads end as
     * {@link LoadRun} describes, and no other job begins.
     */
    ExitCode run() {
        return GracefulShutdown.run(this::runAll, SHUTDOWN_LIMIT, new StoppableRun());
    }

    /** Keeps the process alive after a signal, until the reports of the loads and the sum are printed. */
    private final class StoppableRun implements GracefulShutdown.Stoppable {

        @Override
        public void stop() {
            interrupted = true;
        }

        @Override
        public void abandon() {
            // The loads abandon their commands themselves.
        }
    }

    private ExitCode runAll() {
        long start = System.nanoTime();
        List<String> notRun = new ArrayList<>();
        boolean ended = false;
        for (List<RunRequest.NamedLoad> job : request.jobs()) {
            if (ended || interrupted) {
                job.forEach(load -> notRun.add(load.name()));
            } else {
                List<LoadResult> ofJob =
                        job.size() == 1 ? List.of(run(job.getFirst(), Optional.empty())) : together(job);
                ofJob.forEach(this::print);
                results.addAll(ofJob);
                ended = endsRun(ofJob);
            }
        }
        RunSum sum = new RunSum(results, notRun, (System.nanoTime() - start) / 1e9);
        ExitCode code = interrupted ? ExitCode.INTERRUPTED : sum.code();
        return printed(sum) && written(sum) ? code : ExitCode.INTERNAL;
    }

    private boolean endsRun(List<LoadResult> ofJob) {
        boolean failed = ofJob.stream().anyMatch(result -> result.code() != ExitCode.OK);
        boolean stopped = ofJob.stream().anyMatch(result -> result.code() == ExitCode.INTERRUPTED);
        return stopped || (failed && !request.choice().continues());
    }

    /** Runs the loads of one job, each on a separate thread. */
    private List<LoadResult> together(List<RunRequest.NamedLoad> job) {
        List<SharedReading.Share> shares =
                SharedReading.of(job.getFirst().request().plan().source(), job.size());
        List<Future<LoadResult>> running = new ArrayList<>();
        List<LoadResult> ended = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(job.size())) {
            for (int i = 0; i < job.size(); i++) {
                RunRequest.NamedLoad load = job.get(i);
                SharedReading.Share share = shares.get(i);
                running.add(threads.submit(() -> {
                    try (share) {
                        return run(load, Optional.of(share));
                    }
                }));
            }
            for (int i = 0; i < job.size(); i++) {
                ended.add(result(job.get(i), running.get(i)));
            }
        }
        return ended;
    }

    private LoadResult result(RunRequest.NamedLoad load, Future<LoadResult> running) {
        try {
            return running.get();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return new LoadResult(load.name(), ExitCode.INTERRUPTED, "", Optional.empty());
        } catch (ExecutionException failed) {
            return failure(load, failed.getCause() == null ? failed : failed.getCause(), "", Optional.empty());
        }
    }

    /** Runs one load. Any thread. */
    private LoadResult run(RunRequest.NamedLoad load, Optional<SharedReading.Share> share) {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        StandardStreams streams = new StandardStreams(
                standardStreams.in(),
                new PrintStream(printed, true, StandardCharsets.UTF_8),
                standardStreams.err(),
                standardStreams.env(),
                standardStreams.terminalWidth(),
                standardStreams.passwordPrompt());
        LoadRequest shared =
                share.map(source -> load.request().withSource(source)).orElse(load.request());
        LoadRun run = new LoadRun(shared, streams, secretMasker);
        try {
            ExitCode code = run.run();
            return new LoadResult(load.name(), code, printed.toString(StandardCharsets.UTF_8), run.report());
        } catch (RuntimeException | Error failed) {
            return failure(load, failed, printed.toString(StandardCharsets.UTF_8), run.report());
        }
    }

    private LoadResult failure(
            RunRequest.NamedLoad load, Throwable thrown, String printed, Optional<LoadReport> report) {
        Failure failure = Failure.of(thrown);
        PrintStream err = standardStreams.err();
        err.println("millrace: job " + load.name() + ": " + secretMasker.mask(failure.message()));
        err.flush();
        return new LoadResult(load.name(), failure.code(), printed, report);
    }

    /** Prints the result of a load to standard output. */
    private void print(LoadResult result) {
        PrintStream out = standardStreams.out();
        if (request.choice().json()) {
            out.println(result.json());
        } else if (!result.text().isEmpty()) {
            out.println("job " + result.name() + ":");
            out.print(result.text());
        }
        out.flush();
    }

    private boolean printed(RunSum sum) {
        return standardStreams.printResult(request.choice().json() ? sum.json() : sum.lines());
    }

    /** Writes the file of {@code --report}: the sum, and then the loads. Returns false if this fails. */
    private boolean written(RunSum sum) {
        return request.choice().report().map(file -> write(file, sum)).orElse(true);
    }

    private boolean write(Path file, RunSum sum) {
        StringBuilder lines = new StringBuilder(sum.json()).append('\n');
        results.forEach(result -> lines.append(result.json()).append('\n'));
        try {
            Files.writeString(file, lines);
            return true;
        } catch (IOException failed) {
            standardStreams
                    .err()
                    .println("millrace: --report " + file + " could not be written: " + Failure.reason(failed)
                            + ". The loads themselves have ended as reported above.");
            return false;
        }
    }
}
