// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;

/** What is shown, as typed. */
final class OutputArguments {

    static final class ProgressText implements ITypeConverter<ProgressStyle> {
        @Override
        public ProgressStyle convert(String text) {
            return new WordText<>("progress", ProgressStyle.class).convert(text);
        }
    }

    @Option(
            names = "--progress",
            paramLabel = "STYLE",
            converter = ProgressText.class,
            description =
                    "auto, bar, log, ndjson or none, on standard error. Default: auto, which is a bar on a terminal, "
                            + "otherwise log.")
    Optional<ProgressStyle> progress = Optional.empty();

    @Option(
            names = "--json",
            description = "Print the report as one JSON object, and nothing else, on standard output.")
    boolean json;

    @Option(names = "--report", paramLabel = "FILE", description = "Write the same JSON to a file.")
    Optional<Path> report = Optional.empty();

    @Option(
            names = "--quiet",
            description = "No progress and no rejected rows on standard error; warnings and errors only.")
    boolean quiet;
}
