// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;

/** Output options as typed. */
final class OutputArguments {

    static final class ProgressStyleConverter implements ITypeConverter<ProgressStyle> {
        @Override
        public ProgressStyle convert(String text) {
            return new EnumConverter<>("progress", ProgressStyle.class).convert(text);
        }
    }

    @Option(
            names = "--progress",
            paramLabel = "STYLE",
            converter = ProgressStyleConverter.class,
            description =
                    "Progress on standard error: auto, bar, log, ndjson or none. Default: auto, which is bar on a "
                            + "terminal and log elsewhere.")
    Optional<ProgressStyle> progress = Optional.empty();

    @Option(names = "--json", description = "Print only the report, as one JSON object, on standard output.")
    boolean json;

    @Option(names = "--report", paramLabel = "FILE", description = "Write the JSON report to a file.")
    Optional<Path> report = Optional.empty();

    @Option(
            names = "--quiet",
            description = "Print only warnings and errors on standard error: no progress and no rejected rows.")
    boolean quiet;
}
