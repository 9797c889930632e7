// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import io.millrace.lab.report.Environment;
import io.millrace.lab.report.Findings;
import io.millrace.lab.report.JsonReport;
import io.millrace.lab.report.LabTables;
import io.millrace.lab.report.Page;
import io.millrace.lab.report.RunRecord;
import io.millrace.lab.run.LabException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** Where findings go. */
final class PublishOptions {

    @Option(names = "--json", description = "print one JSON object and nothing else")
    private boolean json;

    @Option(names = "--report", paramLabel = "FILE", description = "write the JSON object to a file")
    private Optional<Path> report = Optional.empty();

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description = "write a page with plots, which opens without a network")
    private Optional<Path> html = Optional.empty();

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "write command, versions, raw samples, table, JSON and page into a folder")
    private Optional<Path> folder = Optional.empty();

    /**
     * Makes sure that the files can be written, before hours are spent on what goes into them.
     *
     * @throws LabException if one cannot
     */
    void requireWritable() {
        report.ifPresent(file -> requireWritable("--report", file));
        html.ifPresent(file -> requireWritable("--html", file));
        folder.ifPresent(wanted -> {
            var there = Stream.iterate(wanted.toAbsolutePath(), path -> path != null, Path::getParent)
                    .filter(Files::exists)
                    .findFirst();
            if (there.isEmpty() || !Files.isDirectory(there.get()) || !Files.isWritable(there.get())) {
                throw unwritable("--out", wanted);
            }
        });
    }

    static void requireWritable(String option, Path file) {
        var parent = file.toAbsolutePath().getParent();
        boolean writable = Files.exists(file)
                ? Files.isWritable(file) && !Files.isDirectory(file)
                : parent != null && Files.isDirectory(parent) && Files.isWritable(parent);
        if (!writable) {
            throw unwritable(option, file);
        }
    }

    private static LabException unwritable(String option, Path path) {
        return new LabException(option + " cannot be written: path=" + path + ". Make its folder, or name another.");
    }

    /** Prints to {@code out}, and writes the files that were asked for. */
    void publish(Environment environment, Findings findings, PrintStream out) throws IOException {
        var table = LabTables.of(findings);
        var object = JsonReport.of(environment, findings);
        out.print(json ? object + "\n" : "\n" + table);
        if (report.isPresent()) {
            Files.writeString(report.get(), object + "\n", StandardCharsets.UTF_8);
        }
        if (html.isPresent()) {
            Files.writeString(html.get(), Page.of(object), StandardCharsets.UTF_8);
        }
        if (folder.isPresent()) {
            new RunRecord(findings.command(), environment, findings.runs(), table, object).write(folder.get());
            Files.writeString(folder.get().resolve("report.html"), Page.of(object), StandardCharsets.UTF_8);
        }
    }
}
