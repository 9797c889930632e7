// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.load.LoadReport;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.LoadReport.Job;
import io.millrace.load.LoadReportJson;
import io.millrace.load.RowCounts;
import io.millrace.load.source.JdbcOptions;
import io.millrace.load.source.JdbcSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Writes the JSON report of a load whose arguments were refused, because options contradict each other or the source
 * does not exist. A program that reads the reports then learns the reason.
 */
record RefusedLoad(LoadArguments arguments, StandardStreams standardStreams, SecretMasker secretMasker) {

    /** Writes the report to the places that the options name. */
    void report(RuntimeException refused) {
        boolean toOutput = arguments.output.json.isTyped();
        Optional<Path> file = arguments.output.report.value().filter(this::mayBeWritten);
        if (arguments.job.explain.isTyped() || (!toOutput && file.isEmpty())) {
            return;
        }
        Failure failure = Failure.of(refused);
        String json = LoadReportJson.of(report(failure), failure.code().number());
        if (toOutput) {
            var unused = standardStreams.printResult(json);
        }
        file.ifPresent(path -> write(path, json));
    }

    private LoadReport report(Failure failure) {
        Job job =
                new Job(arguments.verifies ? Job.Kind.VERIFICATION : Job.Kind.LOAD, source(), "unknown", Instant.now());
        return LoadReport.withoutResult(
                new Ending.Failed(secretMasker.mask(failure.message())), job, new RowCounts(0, 0, 0, 0, 0), 0);
    }

    /** The source without secrets. */
    private String source() {
        return JdbcSourceFactory.accepts(arguments.source)
                ? JdbcSource.ofTable(arguments.source, "", JdbcOptions.defaults())
                        .name()
                : arguments.source;
    }

    /** The files that must not be overwritten. */
    private List<Path> sources() {
        if (JdbcSourceFactory.accepts(arguments.source)) {
            return List.of();
        }
        return Stream.concat(Stream.of(arguments.source), arguments.from.moreFiles.stream())
                .map(Path::of)
                .toList();
    }

    private boolean mayBeWritten(Path file) {
        try {
            OutputFiles.check(sources(), Optional.empty(), Optional.empty(), Optional.of(file));
            return true;
        } catch (UsageException | InvalidPathException unsuitable) {
            return false;
        }
    }

    private void write(Path file, String json) {
        try {
            Files.writeString(file, json + "\n");
        } catch (IOException failed) {
            standardStreams
                    .err()
                    .println("millrace: --report " + file + " could not be written: " + Failure.reason(failed) + ".");
        }
    }
}
