// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Checks the output files of a load. A load never overwrites its source. {@code --report} replaces only an empty file
 * or an earlier report.
 */
final class OutputFiles {

    /** The bytes with which every report begins. No rejects file begins with these bytes. */
    private static final byte[] REPORT_BEGINS = "{\"rows\":{".getBytes(StandardCharsets.US_ASCII);

    private OutputFiles() {}

    /**
     * Checks the files of {@code --rejects}, {@code --differences} and {@code --report}. Opens no file for writing.
     *
     * @throws UsageException if a file cannot be written, or must not be overwritten
     */
    static void check(List<Path> sources, Optional<Path> rejects, Optional<Path> differences, Optional<Path> report) {
        rejects.ifPresent(file -> check("--rejects", file, sources));
        differences.ifPresent(file -> check("--differences", file, sources));
        report.ifPresent(file -> check("--report", file, sources));
        report.filter(file -> Files.isRegularFile(file) && !isEmptyOrReport(file))
                .ifPresent(file -> {
                    throw new UsageException(
                            "--report " + file + " would overwrite a file that is not a report: it does not begin "
                                    + "with '{'. Choose another file, or delete this one.");
                });
        refuseSame("--rejects", rejects, "--report", report);
        refuseSame("--differences", differences, "--report", report);
        refuseSame("--rejects", rejects, "--differences", differences);
    }

    private static void refuseSame(String option, Optional<Path> one, String otherOption, Optional<Path> other) {
        if (one.isPresent() && other.isPresent() && same(one.get(), other.get())) {
            throw new UsageException(option + " and " + otherOption + " name the same file, " + one.get() + ".");
        }
    }

    private static void check(String option, Path file, List<Path> sources) {
        if (sources.stream().anyMatch(source -> same(source, file))) {
            throw new UsageException(option + " " + file + " would overwrite the source.");
        }
        Path folder = Optional.ofNullable(file.toAbsolutePath().getParent()).orElse(file);
        if (Files.isDirectory(file) || !Files.isDirectory(folder)) {
            throw new UsageException(option + " " + file + ": "
                    + (Files.isDirectory(file) ? "it is a folder." : "there is no folder " + folder + "."));
        }
        if (!Files.isWritable(Files.exists(file) ? file : folder)) {
            throw new UsageException(option + " " + file + ": no permission to write there.");
        }
    }

    /** Whether {@code file} is empty or an earlier report. A new report may replace such a file. */
    private static boolean isEmptyOrReport(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] begin = in.readNBytes(REPORT_BEGINS.length);
            return begin.length == 0 || Arrays.equals(begin, REPORT_BEGINS);
        } catch (IOException unreadable) {
            return false;
        }
    }

    private static boolean same(Path one, Path other) {
        try {
            boolean both = Files.exists(one) && Files.exists(other);
            return both
                    ? Files.isSameFile(one, other)
                    : one.toAbsolutePath()
                            .normalize()
                            .equals(other.toAbsolutePath().normalize());
        } catch (IOException unknown) {
            return false;
        }
    }
}
