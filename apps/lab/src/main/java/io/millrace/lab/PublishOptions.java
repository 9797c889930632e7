// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import io.millrace.lab.measure.Environment;
import io.millrace.lab.report.Report;
import io.millrace.lab.server.LabException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The outputs of a run. */
final class PublishOptions {

    @Option(names = "--json", description = "print one JSON object and nothing else")
    private boolean json;

    @Option(names = "--report", paramLabel = "FILE", description = "write the JSON object to a file")
    private Optional<Path> report = Optional.empty();

    @Mixin
    private PageOption page = new PageOption();

    @Option(
            names = "--out",
            paramLabel = "FOLDER",
            description = "write a record: command, environment, samples, tables, JSON, page; needs a clean commit")
    private Optional<Path> folder = Optional.empty();

    /** The page with charts. */
    static final class PageOption {

        @Option(names = "--html", paramLabel = "FILE", description = "write a page with charts that needs no network")
        Optional<Path> file = Optional.empty();

        void requireWritable() {
            file.ifPresent(html -> PublishOptions.requireWritable("--html", html));
        }

        void write(Supplier<String> html) throws IOException {
            if (file.isPresent()) {
                Files.writeString(file.get(), html.get(), StandardCharsets.UTF_8);
            }
        }
    }

    /**
     * Checks that all outputs can be written, before the lab spends hours on them.
     *
     * @throws LabException if an output cannot be written
     */
    void requireWritable(Environment environment) {
        report.ifPresent(file -> requireWritable("--report", file));
        page.requireWritable();
        folder.ifPresent(wanted -> RunRecord.requireNew(wanted, environment));
    }

    private static void requireWritable(String option, Path file) {
        Path parent = file.toAbsolutePath().getParent();
        boolean isWritable = Files.exists(file)
                ? Files.isWritable(file) && !Files.isDirectory(file)
                : parent != null && Files.isDirectory(parent) && Files.isWritable(parent);
        if (!isWritable) {
            throw new LabException(
                    option + " cannot be written: file=" + file + ". Make the folder, or name another file.");
        }
    }

    /** Prints to {@code out}, and writes all files. */
    void publish(String object, String command, Environment environment, PrintStream out) throws IOException {
        out.print(json ? object + "\n" : "\n" + Report.text(object));
        if (report.isPresent()) {
            Files.writeString(report.get(), object + "\n", StandardCharsets.UTF_8);
        }
        page.write(() -> Report.html(object));
        if (folder.isPresent()) {
            RunRecord.write(folder.get(), Report.record(object), command, environment);
        }
    }
}
