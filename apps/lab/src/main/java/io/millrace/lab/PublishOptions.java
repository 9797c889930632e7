// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import io.millrace.lab.report.Environment;
import io.millrace.lab.report.Findings;
import io.millrace.lab.report.JsonReport;
import io.millrace.lab.report.LabTables;
import io.millrace.lab.report.Page;
import io.millrace.lab.report.RunRecord;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
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
